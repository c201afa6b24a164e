"""A real SSH server on the loopback device, whose commands run in this machine's shell."""

from __future__ import annotations

import socket
import subprocess
import threading

import paramiko


class _Rules(paramiko.ServerInterface):
    """Lets one key in and runs what it asks for."""

    def __init__(self, client_key: paramiko.PKey) -> None:
        self._client_key = client_key

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        known = username == "root" and key == self._client_key
        return paramiko.common.AUTH_SUCCESSFUL if known else paramiko.common.AUTH_FAILED

    def get_allowed_auths(self, username: str) -> str:
        return "publickey"

    def check_channel_request(self, kind: str, chanid: int) -> int:
        return paramiko.common.OPEN_SUCCEEDED

    def check_channel_exec_request(self, channel: paramiko.Channel, command: bytes) -> bool:
        threading.Thread(target=_execute, args=(channel, command), daemon=True).start()
        return True


def _execute(channel: paramiko.Channel, command: bytes) -> None:
    with subprocess.Popen(
        ["sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        for line in process.stdout:
            channel.sendall(line)
        channel.sendall_stderr(process.stderr.read())
    channel.send_exit_status(process.returncode)
    channel.close()


class SshServer:
    """Listens until `stop`; `cut` breaks all connections."""

    def __init__(self, host_key: paramiko.PKey, client_key: paramiko.PKey) -> None:
        self._host_key = host_key
        self._client_key = client_key
        self._transports: list[paramiko.Transport] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    @property
    def connections(self) -> int:
        """How many there have been."""
        return len(self._transports)

    def cut(self) -> None:
        """Break all connections, as a guest does that is killed."""
        for each in self._transports:
            each.close()

    def stop(self) -> None:
        """End; a second time changes nothing."""
        if not self._thread.is_alive():
            return
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            transport = paramiko.Transport(connection)
            transport.add_server_key(self._host_key)
            self._transports.append(transport)
            transport.start_server(event=threading.Event(), server=_Rules(self._client_key))
