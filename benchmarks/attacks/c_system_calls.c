/* Traces, mounts, unshares and kills whatever it can, then claims success. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    for (int which = 0; which < 5; which++) {
        if (fork() == 0) {
            if (which == 0) ptrace(PTRACE_ATTACH, getppid(), 0, 0);
            if (which == 1) mount("none", "/", "tmpfs", 0, 0);
            if (which == 2) unshare(CLONE_NEWUSER | CLONE_NEWNS);
            if (which == 3) kill(-1, SIGKILL);
            if (which == 4) chroot("/proc/1/root");
            _exit(0);
        }
    }
    while (wait(0) > 0) {}
    puts("PASSED");
    return 0;
}
