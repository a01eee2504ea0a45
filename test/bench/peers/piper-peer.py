"""Speaks lines of standard input with piper-tts on one thread; answers each with its times as JSON.

usage: piper-peer.py VOICE.onnx
"""

import json
import sys
import time

import onnxruntime
from piper import PiperVoice


def one_thread() -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return options


def main() -> None:
    model = sys.argv[1]
    voice = PiperVoice.load(model)
    voice.session = onnxruntime.InferenceSession(
        model, sess_options=one_thread(), providers=["CPUExecutionProvider"]
    )
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        text = json.loads(line)
        start = time.perf_counter()
        first = None
        samples = 0
        for chunk in voice.synthesize(text):
            pcm = chunk.audio_int16_array
            first = first or time.perf_counter() - start
            samples += len(pcm)
        total = time.perf_counter() - start
        answer = {
            "firstAudioMs": first * 1000,
            "totalMs": total * 1000,
            "audioSeconds": samples / voice.config.sample_rate,
        }
        print(json.dumps(answer), flush=True)


main()
