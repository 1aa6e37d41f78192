-- Which arguments of a call its tool's author declared secret: whoever reads is shown a mark in their place.
ALTER TABLE run_call ADD COLUMN secrets text[];
