"""Who this visitor is, where several people use one server: said by Streamlit's own log-in (a section
`[auth]` in secrets.toml), or by what the gate lets in: the cookie of a browser, or a proxy's header.

Without either all visitors are taken for one person.
"""

from __future__ import annotations

from functools import cache

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from engine.live.markdown import escape
from engine.people import accounts, gate, visits
from engine.people.accounts import Person
from engine.storage import home
from pages.ui.files import PREFIX
from pages.ui.language import told

LOCAL = ("localhost", "127.0.0.1", "[::1]", "")


@cache
def logs_in() -> bool:
    """Whether whoever runs the server set up Streamlit's log-in."""
    try:
        return "auth" in st.secrets
    except (FileNotFoundError, OSError):
        return False


def are_several() -> bool:
    return gate.is_closed() or logs_in()


def person() -> Person | None:
    """This visitor; None for one who has not signed in, and where all are one person."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return None
    if gate.is_closed():
        return gate.person(st.context.cookies, st.context.headers)
    if not logs_in() or not st.user.is_logged_in:
        return None
    said = st.user.to_dict()
    name = next((str(said[k]) for k in ("name", "email", "sub") if said.get(k)), "")
    return Person(
        accounts.identity("oidc", str(said.get("iss", "")), str(said.get("sub", ""))),
        " ".join(name.split())[: accounts.MOST_NAME],
    )


def _who() -> str | None:
    if not are_several():
        return None
    return found.id if (found := person()) else home.NOBODY


home.set_asker(_who)


def enter() -> None:
    """Before anything of a page is drawn: who has to log in is asked to, and nothing else shown."""
    context, one = get_script_run_ctx(suppress_warning=True), person()
    if context is not None and one is not None:
        visits.reserve(context.session_id, one.id)  # what is uploaded comes to this session
    if gate.is_closed() or not logs_in() or st.user.is_logged_in:
        return
    st.header(told("Sign in"), anchor=False)
    st.markdown(
        told(
            "Several people use this server. Your texts, models and trainings are yours alone, unless"
            " you share them."
        )
    )
    if st.button(told("Sign in"), key="people.enter"):
        st.login()
    st.stop()


def show_person() -> None:
    """At the foot of the menu: who this is, and the way out."""
    if (one := person()) is None:
        return
    st.caption(told("Signed in as {name}.", name=escape(one.name)))
    if gate.header():
        return  # the way out is the proxy's
    if not gate.password():
        st.button(told("Sign out"), on_click=st.logout, key="people.leave", type="tertiary")
    else:
        # a link button would open another tab
        st.html(f'<a href="{PREFIX}{gate.LEAVE}" target="_self">{told("Sign out")}</a>')


def tell_audience() -> None:
    """In a line who sees what is made here; nothing where nobody else can come."""
    if are_several():
        st.caption(
            told(
                "Only you see your texts, models and trainings. What you share, everybody on this server"
                " can use; only you can take it back."
            )
        )
    elif _host() not in LOCAL:
        st.caption(
            told(
                "Everybody who opens this address sees the same texts, models and trainings, and can"
                " change and delete them."
            )
        )


def _host() -> str:
    """The name by which the browser came here, without a port."""
    try:
        said = st.context.headers.get("Host", "")
    except RuntimeError:  # in tests there is no server
        return ""
    name, colon, port = said.rpartition(":")
    return name if colon and port.isdecimal() else said
