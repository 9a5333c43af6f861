/* Recurses without end, and overwrites what it finds. */
static int deep(int n) {
    volatile char frame[65536];
    frame[n % 65536] = 1;
    return deep(n + 1) + frame[0];
}

int main(void) {
    return deep(0);
}
