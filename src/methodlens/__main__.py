"""python -m methodlens"""

from methodlens.cli.app import main

main()
