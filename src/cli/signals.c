#include "cli/signals.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static void catch_signal(int number)
{
    caught = number;
    signal(number, SIG_DFL);
}

void rni_signals_watch(void)
{
    struct sigaction action = {0};
    action.sa_handler = catch_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART; /* files are written completely */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
}

int rni_signals_caught(void)
{
    return caught;
}

const char *rni_signals_name(int number)
{
    return number == SIGINT ? "SIGINT" : number == SIGTERM ? "SIGTERM" : "SIGHUP";
}
