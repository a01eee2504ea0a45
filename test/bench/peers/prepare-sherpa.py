"""Makes a Piper voice loadable by sherpa-onnx: metadata in the graph and a table of tokens.

usage: prepare-sherpa.py VOICE.onnx FOLDER
"""

import json
import os
import sys

import onnx

source, folder = sys.argv[1:3]
os.makedirs(folder, exist_ok=True)
with open(source + ".json", encoding="utf-8") as file:
    config = json.load(file)
with open(os.path.join(folder, "tokens.txt"), "w", encoding="utf-8") as file:
    for symbol, ids in config["phoneme_id_map"].items():
        file.write(f"{symbol} {ids[0]}\n")
model = onnx.load(source)
metadata = {
    "model_type": "vits",
    "comment": "piper",
    "language": "English",
    "voice": config["espeak"]["voice"],
    "has_espeak": 1,
    "n_speakers": config["num_speakers"],
    "sample_rate": config["audio"]["sample_rate"],
}
for key, value in metadata.items():
    model.metadata_props.add(key=key, value=str(value))
unfinished = os.path.join(folder, "model.onnx.tmp")
onnx.save(model, unfinished)
os.replace(unfinished, os.path.join(folder, "model.onnx"))
