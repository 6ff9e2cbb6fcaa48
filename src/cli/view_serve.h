/* What `runnel view` and `runnel run --watch` share: the options of the server, its address on stderr. */
#ifndef RNI_CLI_VIEW_SERVE_H
#define RNI_CLI_VIEW_SERVE_H

#include "cli/command.h"

#include "session/session.h"

/* Rows of an option table. */
/* clang-format off */
#define RNI_OPTIONS_OF_A_VIEW \
    {"port", RNI_OPTION_COUNT, "N", "port of the page; 0: any free port", "7878", \
     "a port, e.g. --port 8080", 0, 65535, NULL}, \
    {"listen", RNI_OPTION_TEXT, "ADDRESS", \
     "serve the page at this address instead of 127.0.0.1; access then needs the token that is " \
     "printed", \
     NULL, "an address of this machine, e.g. --listen 0.0.0.0", 0, 0, NULL}
/* clang-format on */
/* Starts the server and prints its address. */
int rni_view_open(const rni_arguments *arguments, rni_session *session, bool all_control);
/* Opens the page in the browser of this machine's user. */
void rni_view_open_browser(const rni_session *session);

#endif
