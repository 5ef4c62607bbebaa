"""`python -m gpuledger` is the console script."""

from gpuledger.cli import main

if __name__ == "__main__":
    main()
