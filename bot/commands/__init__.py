"""The commands of `placet`, by subject. Each reads what it is given, calls the engine, and says in plain sentences what came of it."""
