"""Archive: a run as one zip, to keep or to take to another machine.

    manifest.json  first: format, version, the run's id, size and SHA-256 digest of every other
                   member
    run.json, history.csv, weights.safetensors, snapshots/00000120.safetensors ...  as they lie in
    the run's folder

Source    PKWARE, APPNOTE.TXT: .ZIP File Format Specification; NIST, FIPS 180-4 (SHA-256)
Differs   Members are stored, not compressed: weights would hardly shrink.
"""
