"""The playground: one sample, judged by a verifier or priced by a recipe while one looks on."""
