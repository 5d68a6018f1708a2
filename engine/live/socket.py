"""Socket: the way of a key past Streamlit's script, a WebSocket for each live page.

How they talk
    /live/KEY below the app's address, with the key of a session (engine/live/session.py).  Text from the browser is a
    message (engine/live/request.py), and each gets one answer, in their order: the bytes of a reply
    (engine/live/wire.py), or the text SCRIPT where the page's script has to answer that message.
    The browser sends the message there then (assets/live/socket.js), and so it does with every
    message as long as no socket is open: behind a proxy that lets none through, a page is slower
    and no less right.

Differs   The script has to answer what opens a page, another layout and a file in any case; that it
          answers a key as well costs the eight lines of `Session.hear`.

Who may   A key is 24 random bytes, told only to the page of its visitor.  Besides, a browser has to
          come from this very address, as for Streamlit's own socket.

Source    RFC 6455, sec. 4.1 (Origin) and 7.4.2 (codes from 4000 on are an application's own)
"""

from __future__ import annotations

import asyncio
import json
import logging
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlparse

from starlette.websockets import WebSocket, WebSocketDisconnect

from engine.live import session as sessions
from engine.live.stage import MOST_CHARACTERS

SCRIPT = "script"
GONE, ELSEWHERE = 4404, 4403  # nobody's key; a page of another address
LONGEST = 12 * MOST_CHARACTERS + 100_000  # characters of a message: two texts, each escaped
SLOW_SECONDS = 0.05  # of processor time: who needs more for an answer waits for nobody quick
log = logging.getLogger(__name__)
# One at a time: many threads at once take the interpreter from each other with every step of a
# model, and 20 people typing 5 keys a second waited eight times as long (`bench load`)
_quick = ThreadPoolExecutor(1, thread_name_prefix="live")
_slow = ThreadPoolExecutor(4, thread_name_prefix="live-slow")


def same_address(origin: str | None, host: str | None) -> bool:
    """Whether a browser comes from a page of this server.  What is no browser says no origin."""
    return origin is None or urlparse(origin).netloc == host


async def serve(socket: WebSocket) -> None:
    """Answer one page's messages until it goes."""
    if not same_address(socket.headers.get("origin"), socket.headers.get("host")):
        await socket.close(ELSEWHERE)
        return
    key = socket.path_params["key"]
    await socket.accept()
    loop = asyncio.get_running_loop()
    try:
        while session := sessions.find(key):
            threads = _slow if session.seconds > SLOW_SECONDS else _quick
            del session  # nothing here keeps a visitor who has gone
            said = await socket.receive_text()
            data = await loop.run_in_executor(threads, _answer, key, said)
            await (socket.send_text(SCRIPT) if data is None else socket.send_bytes(data))
        await socket.close(GONE)
    except (WebSocketDisconnect, RuntimeError, KeyError):
        pass  # the page went while it was answered, or sent bytes


def _answer(key: str, said: str) -> bytes | None:
    session = sessions.find(key)
    if session is None or len(said) > LONGEST:
        return None
    try:
        return session.answer(json.loads(said))
    except Exception:
        # whatever it was happens again in the script, which knows how to tell it
        log.exception("A live page could not be answered over its socket")
        return None
