#include "cli/view_serve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define USUAL_PORT 7878u

/* --- the browser ---------------------------------------------------------------------------------------- */

/* Forked twice, so that the browser is no child of this process and leaves no zombie. */
void rni_view_open_browser(const rni_session *s)
{
    char copy[256];
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) return;
    snprintf(copy, sizeof copy, "%s", rni_view_address(s->view));
    char name[] = "xdg-open";
    char *const words[] = {name, copy, NULL};
    pid_t child = fork();
    if (child == 0) {
        if (fork() != 0) _exit(0);
        int nothing = open("/dev/null", O_RDWR);
        for (int k = 0; k < 3 && nothing >= 0; k++) dup2(nothing, k);
        setsid();
        execvp(name, words);
        _exit(127);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
}

/* --- the server -------------------------------------------------------------------------------------------- */

int rni_view_open(const rni_arguments *a, rni_session *s, bool all_control)
{
    rni_session_server server = {
        .listen = rni_arguments_has(a, "listen") ? rni_arguments_text(a, "listen") : NULL,
        .port = rni_arguments_count(a, "port"),
        .all_control = all_control};
    rn_result result = rni_session_serve(s, &server);
    /* Two viewers at a time are fine, unless the user has asked for this port. */
    if (result == RN_ERROR_FILE && !rni_arguments_has(a, "port")) {
        server.port = 0;
        result = rni_session_serve(s, &server);
        if (result == RN_OK)
            fprintf(stderr, "%s: port %u is taken; another one is used\n", a->command->path,
                    USUAL_PORT);
    }
    if (result == RN_ERROR_MEMORY) return rni_give_up(a->command, "no memory");
    if (result != RN_OK) return rni_give_up(a->command, "%s", rn_last_error());
    fprintf(stderr, "%s: %s", a->command->path, rni_view_address(s->view));
    if (server.listen)
        fputs("\n"
              "  anyone with this address can watch, and control the simulation if allowed; the "
              "connection is not encrypted",
              stderr);
    fputc('\n', stderr);
    return RNI_EXIT_DONE;
}
