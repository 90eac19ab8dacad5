"""What schemathesis cannot know of this service: who calls, and which ids are real.

Each operation of the reference is met by its method, its path and the names of its parameters alone, so that a new
route is covered by being listed. What ends the caller (an account's writes, a workspace's end) is done to somebody
made for it.
"""

import atexit
import json
import os
import sqlite3
import subprocess
import tempfile
import threading
import time
import uuid
import zlib
from urllib.parse import quote

import requests
import schemathesis
from schemathesis.core import NotSet
from requests.auth import AuthBase

BASE = os.environ["REFERENCE_URL"]
# "session" or "key"
CREDENTIAL = os.environ["REFERENCE_CREDENTIAL"]
PASSWORD = "a short sentence works"
# The part of the reference that this process looks at, as 1/3: processes share its paths.
SHARD, SHARDS = (int(part) for part in os.environ.get("REFERENCE_SHARD", "1/1").split("/"))
# Of so many requests one keeps the id that was made up, which names nothing: an answer of 404 has a form too.
KEEP_UNKNOWN_EVERY = 8
FREE_STATEMENT = "select 1 as one"
REVIEWED = "consoles/reviewed.sql"
# A stream ends with its reader alone, who would be this process; an event's body is judged with its signature; and a
# protocol of its own has clients of its own.
LEFT_OUT = ["/api/workspaces/{workspaceId}/events", "/api/webhooks/{token}", "/api/repohost/webhook", "/api/mcp"]
LEFT_OUT += ["/api/oauth/register", "/api/oauth/token", "/api/oauth/revoke"]
# History is written within a second; a loaded machine gets ten.
HEAD_BYTES_MAX = 12_000
HISTORY_TRIES = 100
HISTORY_EVERY_S = 0.1


class ReferenceError(Exception):
    """The harness cannot go on: what it needs to know stands in the message."""


def send(method, path, person, body=None, **options):
    answer = requests.request(method, BASE + path, json=body, headers=person.headers() if person else {}, timeout=30, **options)
    if not answer.ok:
        raise ReferenceError(f"{method} {path} answered {answer.status_code}: {answer.text[:500]}")
    return answer.json()["data"] if answer.content else None


class Person:
    """Somebody with a session and a workspace of their own."""

    def __init__(self):
        self.email = f"{uuid.uuid4().hex}@example.com"
        answer = requests.post(
            f"{BASE}/api/auth/register", json={"email": self.email, "password": PASSWORD, "name": "Ana"}, timeout=30
        )
        if answer.status_code != 201:
            raise ReferenceError(f"Registering answered {answer.status_code}: {answer.text[:500]}")
        self.cookie = f"auth_session={answer.cookies['auth_session']}"
        data = answer.json()["data"]
        self.id = data["user"]["id"]
        self.workspace_id = data["workspace"]["id"]
        self.home = f"/api/workspaces/{self.workspace_id}"
        self.slug = data["workspace"]["slug"]
        self.key = None
        self._made = {}

    def headers(self):
        return {"Cookie": self.cookie}

    def once(self, name, make):
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]

    # What there is to name in a path, a query or a body.

    def sample(self):
        def find():
            connections = send("GET", f"{self.home}/connectors", self)
            # The one with the table `orders`: an import adds another.
            return next(each["id"] for each in connections if each["name"] == "Sample shop")

        return self.once("sample", find)

    def new_connection(self):
        name = f"{uuid.uuid4().hex}.sqlite"
        body = {"name": "Spare", "type": "sqlite", "config": {"file": name}, "readOnly": False}
        return send("POST", f"{self.home}/connectors", self, body)["id"]

    def new_console(self):
        body = {"name": uuid.uuid4().hex, "content": FREE_STATEMENT, "connectionId": self.sample()}
        return send("POST", f"{self.home}/consoles", self, body)["id"]

    def deleted_console(self):
        console = self.new_console()
        send("DELETE", f"{self.home}/consoles/{console}", self)
        return console

    def new_folder(self):
        return send("POST", f"{self.home}/consoles/folders", self, {"name": uuid.uuid4().hex})["id"]

    def new_dashboard(self):
        filters = [{"id": "region", "kind": "select", "field": "region"}]
        widgets = [{"id": "words", "kind": "text", "spec": {"text": "Sales"}}]
        body = {"title": uuid.uuid4().hex, "filters": filters, "widgets": widgets}
        return send("POST", f"{self.home}/dashboards", self, body)["id"]

    def deleted_dashboard(self):
        dashboard = self.new_dashboard()
        send("DELETE", f"{self.home}/dashboards/{dashboard}", self)
        return dashboard

    def new_app(self):
        return send("POST", f"{self.home}/apps", self, {"title": uuid.uuid4().hex})["id"]

    def new_bound_app(self):
        """One whose binding can be tried out, and has been published."""
        app = self.new_app()
        text = f"---\nconnectionId: {self.sample()}\n---\n{FREE_STATEMENT}\n"
        send("PUT", f"{self.home}/apps/{app}/files?path=bindings/one.sql", self, {"content": text})
        send("POST", f"{self.home}/apps/{app}/commit", self, {"message": "Bind"})
        send("POST", f"{self.home}/apps/{app}/publish", self)
        return app

    def new_app_with_draft(self):
        app = self.new_app()
        send("PUT", f"{self.home}/apps/{app}/files?path=note.md", self, {"content": "Hello"})
        return app

    def new_published_app(self):
        app = self.new_app()
        return app, send("POST", f"{self.home}/apps/{app}/publish", self)

    def published_app(self):
        return self.once("published app", self.new_published_app)

    def new_app_share(self):
        app, _ = self.published_app()
        return send("PUT", f"{self.home}/apps/{app}/share", self, {"enabled": True})["token"]

    def new_share(self):
        dashboard = self.new_dashboard()
        return send("PUT", f"{self.home}/dashboards/{dashboard}/share", self, {"enabled": True})["token"]

    def new_dashboard_folder(self):
        return send("POST", f"{self.home}/dashboards/folders", self, {"name": uuid.uuid4().hex})["id"]

    def new_key(self):
        return send("POST", f"{self.home}/api-keys", self, {"name": "Spare"})

    def authorization(self):
        """A decision about a client that has just registered."""
        back = "https://client.example/callback"
        client = requests.post(f"{BASE}/api/oauth/register", json={"redirect_uris": [back]}, timeout=30).json()
        request = {"response_type": "code", "client_id": client["client_id"], "redirect_uri": back}
        request.update(code_challenge="A" * 43, code_challenge_method="S256")
        return {"request": request, "workspaceId": self.workspace_id, "scopes": ["read"], "isAllowed": True}

    def new_connected_app(self):
        send("POST", "/api/oauth/authorize", self, self.authorization())
        return send("GET", f"{self.home}/connected-apps", self)[0]["id"]

    def new_file(self):
        name = f"{uuid.uuid4().hex}.sqlite"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name)
            connection = sqlite3.connect(path)
            connection.execute("create table one (n)")
            connection.commit()
            connection.close()
            with open(path, "rb") as content:
                headers = {**self.headers(), "Content-Type": "application/octet-stream"}
                answer = requests.post(f"{BASE}{self.home}/files?name={name}", data=content, headers=headers, timeout=30)
                answer.raise_for_status()
        return name

    def new_import(self):
        headers = {**self.headers(), "Content-Type": "application/octet-stream"}
        content = b"id,name\n1,a\n2,b\n3,c\n4\n"
        answer = requests.post(f"{BASE}{self.home}/imports?name=one.csv", data=content, headers=headers, timeout=30)
        answer.raise_for_status()
        upload = answer.json()["data"]["id"]
        send("POST", f"{self.home}/imports/{upload}/preview", self, {})
        return upload

    def new_imported_table(self):
        name = f"t{uuid.uuid4().hex}"
        send("POST", f"{self.home}/imports/{self.new_import()}/table", self, {"table": name})
        return name

    def new_rule(self):
        body = {
            "resourceType": "scheduled_query",
            "resourceId": self.new_console(),
            "triggers": ["failure"],
            "channelType": "email",
            "recipients": ["ana@example.com"],
        }
        return send("POST", f"{self.home}/notification-rules", self, body)["id"]

    def new_invite(self, email=None):
        return send("POST", f"{self.home}/invites", self, {"email": email or f"{uuid.uuid4().hex}@example.com"})

    def new_member(self):
        somebody = Person()
        token = self.new_invite(somebody.email)["link"].rsplit("/", 1)[1]
        send("POST", f"/api/invites/{token}/accept", somebody)
        return somebody.id

    def new_invitation(self, somebody):
        """The token of a link. Somebody who is a member already gets none that is for them."""
        email = somebody.email if somebody is not None and somebody is not self else None
        return self.new_invite(email)["link"].rsplit("/", 1)[1]

    def new_execution(self):
        """A query that was run. History is written in groups: what is asked for at once may not be there yet."""
        execution = str(uuid.uuid4())
        send("POST", f"{self.home}/databases/{self.sample()}/execute", self, {"query": FREE_STATEMENT, "executionId": execution})
        url = f"{BASE}{self.home}/executions/{execution}"
        for _ in range(HISTORY_TRIES):
            if requests.get(url, headers=self.headers(), timeout=30).status_code == 200:
                return execution
            time.sleep(HISTORY_EVERY_S)
        raise ReferenceError("A query that was run is not found in the history.")

    def new_run(self):
        """One that waits: it is begun by the job runner, or cancelled before."""
        console = self.new_console()
        return console, send("POST", f"{self.home}/consoles/{console}/schedule/run", self, {})["run"]["id"]

    def new_refresh(self):
        """One that waits, too."""
        dashboard = self.new_dashboard()
        return dashboard, send("POST", f"{self.home}/dashboards/{dashboard}/refresh", self, {})["run"]["id"]

    def new_snapshot(self):
        dashboard = self.new_dashboard()
        body = {"cron": "0 7 * * *", "timezone": "UTC", "channelType": "email", "recipients": ["a@example.com"]}
        return dashboard, send("POST", f"{self.home}/dashboards/{dashboard}/snapshots", self, body)["id"]

    def into(self):
        return self.once("destination", self.new_connection)

    def new_flow(self, kind="query"):
        """One that waits to be run, or to be sent to."""
        destination = {"connectionId": self.into(), "write": "append"}
        source = {} if kind == "webhook" else {"source": {"connectionId": self.sample(), "query": FREE_STATEMENT}}
        body = {"name": uuid.uuid4().hex, "type": kind, "destination": destination, "trigger": False, **source}
        return send("POST", f"{self.home}/flows", self, body)["flow"]["id"]

    def new_flow_run(self):
        flow = self.new_flow()
        return flow, send("POST", f"{self.home}/flows", self, {"flowId": flow})["run"]["id"]

    def new_webhook(self):
        """The token of an address that takes what is not signed."""
        flow = self.new_flow("webhook")
        body = {"verifySignature": False}
        return send("POST", f"{self.home}/flows/{flow}/webhook/provision", self, body)["url"].rsplit("/", 1)[1]

    def new_open_flow(self):
        """One whose address is open, so that a test can be sent to it."""
        flow = self.new_flow("webhook")
        send("POST", f"{self.home}/flows/{flow}/webhook/provision", self, {})
        return flow

    def new_chat(self):
        return send("POST", f"{self.home}/chats", self, {})["id"]

    def new_session(self):
        requests.post(f"{BASE}/api/auth/login", json={"email": self.email, "password": PASSWORD}, timeout=30)
        sessions = send("GET", "/api/auth/sessions", self)
        return next(session["id"] for session in sessions if not session["isCurrent"])

    def new_transaction(self):
        """A session of manual transactions; the ones before it are closed, since a person has few."""
        sessions = f"{self.home}/databases/{self.into()}/sessions"
        for session in send("GET", sessions, self):
            send("DELETE", f"{sessions}/{session['sessionId']}", self)
        return send("POST", sessions, self, {})["sessionId"]

    def new_metric(self):
        name = f"m{uuid.uuid4().hex}"
        sample = send("GET", f"{self.home}/connectors", self)[0]["name"]
        count = {"dialects": [{"dialect": "ANSI_SQL", "expression": "COUNT(*)"}]}
        model = {
            "name": "shop",
            "datasets": [{"name": "orders", "source": f"{sample}.main.orders", "primary_key": ["id"], "fields": []}],
            "metrics": [{"name": name, "expression": count}],
        }
        # JSON is YAML.
        self.metric_content = json.dumps({"version": "0.2.0.dev0", "semantic_model": [model]})
        send("PUT", f"{self.home}/metrics/{name}", self, {"content": self.metric_content})
        return name

    def new_review(self):
        """A branch with one new console, which is pushed as its author would. Returns its name and its head."""
        name = uuid.uuid4().hex
        sample = send("GET", f"{self.home}/connectors", self)[0]["name"]
        key = self.once("key to push", self.new_key)["key"]
        with tempfile.TemporaryDirectory() as folder:

            def git(*args):
                command = ["git", "-c", "user.name=Ana", "-c", "user.email=ana@example.com", *args]
                return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()

            git("clone", "-q", f"{BASE.replace('://', f'://any:{key}@')}/git/{self.slug}.git", ".")
            os.makedirs(os.path.join(folder, "consoles"), exist_ok=True)
            with open(os.path.join(folder, REVIEWED), "w") as console:
                console.write(f"/* ---\nconnection: {json.dumps(sample)}\n--- */\nselect '{name}' as name\n")
            git("add", REVIEWED)
            git("commit", "-q", "-m", "Add a console")
            git("push", "-q", "origin", f"HEAD:refs/heads/review/{name}")
            return name, git("rev-parse", "HEAD")

    def commit(self, kind, id):
        return send("GET", f"{self.home}/{kind}/{id}/git/history", self)["items"][0]["sha"]


class Credential(AuthBase):
    """Only the one asked for: with an Authorization header the cookie would not be looked at."""

    def __init__(self, person, by_key):
        self.person = person
        self.by_key = by_key

    def __call__(self, request):
        if self.by_key:
            request.headers["Authorization"] = f"Bearer {self.person.key}"
        else:
            request.headers["Cookie"] = self.person.cookie
        return request


_lock = threading.Lock()
_shared = []


def shared():
    """Whoever does what leaves them as they are."""
    with _lock:
        if not _shared:
            owner = Person()
            owner.key = owner.new_key()["key"]
            _shared.append(owner)
        return _shared[0]


def is_lasting(case):
    """Whether a request could take away what the next ones need: their session, their account, their workspace."""
    if case.method.upper() in ("GET", "HEAD", "OPTIONS"):
        return False
    return "{workspaceId}" not in case.path or case.path == "/api/workspaces/{workspaceId}"


def is_change(case):
    return case.method.upper() in ("PUT", "PATCH", "DELETE")


def is_refused(case):
    """Whether the request is wrong in itself: nothing is changed by it, so that whatever it names can be named again."""
    return case.meta is not None and case.meta.generation.mode.is_negative


def thing(case, person, name, make):
    """Something new for what may change it, else what there is already: making things takes most of the time."""
    if not is_change(case):
        return person.once(name, make)
    # Some of what is made to be refused is right all the same, once it is written as text.
    return person.once(f"{name} to change", make) if is_refused(case) else make()


def console_of(case, person):
    if case.path.endswith("{consoleId}/restore") and not is_refused(case):
        return person.deleted_console()
    return thing(case, person, "console", person.new_console)


def dashboard_of(case, person):
    if case.path.endswith("{dashboardId}/restore") and not is_refused(case):
        return person.deleted_dashboard()
    return thing(case, person, "dashboard", person.new_dashboard)


def import_of(case, person):
    # Storing the table deletes the upload, and a preview with other settings may reject no row.
    if case.path.endswith("{importId}/table") and not is_refused(case):
        return person.new_import()
    if case.path.endswith("{importId}/rejected-rows"):
        return person.once("import with rejected rows", person.new_import)
    return thing(case, person, "import", person.new_import)


def app_of(case, person):
    # Each commit takes a draft of its own.
    if case.path.endswith("{appId}/commit") and not is_refused(case):
        return person.new_app_with_draft()
    if "/bindings" in case.path:
        return person.once("bound app", person.new_bound_app)
    if "/view" in case.path:
        return person.published_app()[0]
    return thing(case, person, "app", person.new_app)


def operation_of(case, person):
    """It is of one app, which takes its place beside it."""
    app, published = person.published_app()
    case.path_parameters["appId"] = app
    return published["operationId"]


def view_token():
    app, _ = shared().published_app()
    return send("POST", f"{shared().home}/apps/{app}/view-token", shared())["token"]


def is_of_dashboards(case):
    return "/dashboards" in case.path


def folder_of(case, person):
    if is_of_dashboards(case):
        return person.once("dashboard folder", person.new_dashboard_folder)
    return person.once("folder", person.new_folder)


def commit_of(case, person):
    if "/metrics/" in case.path:
        return person.commit("metrics", person.once("metric", person.new_metric))
    if is_of_dashboards(case):
        return person.commit("dashboards", person.once("dashboard", person.new_dashboard))
    return person.commit("consoles", person.once("console", person.new_console))


def session_of(case, person):
    if case.path.startswith("/api/workspaces/"):
        return thing(case, person, "transaction", person.new_transaction)
    return thing(case, person, "session", person.new_session)


def connection_of(case, person):
    # The sample has no sessions.
    if "/sessions" in case.path:
        return person.into()
    if is_change(case) and case.path.endswith("{connectionId}"):
        return thing(case, person, "connection", person.new_connection)
    return person.sample()


def execution_of(case, person):
    """None runs that could be cancelled."""
    return str(uuid.uuid4()) if case.path.endswith("/cancel") else person.once("execution", person.new_execution)


def run_of(case, person):
    """A run is of one console, flow or dashboard, which takes its place beside it."""
    if "{flowId}" in case.path:
        flow, run = person.new_flow_run()
        case.path_parameters["flowId"] = flow
        return run
    if is_of_dashboards(case):
        dashboard, run = person.new_refresh()
        case.path_parameters["dashboardId"] = dashboard
        return run
    console, run = person.new_run()
    case.path_parameters["consoleId"] = console
    return run


def flow_of(case, person):
    if "/webhook/" in case.path:
        return person.once("webhook flow", person.new_open_flow)
    # One at a time runs.
    return person.new_flow() if case.path.endswith("/runs") and case.method.upper() == "POST" else thing(case, person, "flow", person.new_flow)


def snapshot_of(case, person):
    """A snapshot is of one dashboard, which takes its place beside it."""
    dashboard, snapshot = person.new_snapshot()
    case.path_parameters["dashboardId"] = dashboard
    return snapshot


def token_of(case, person):
    if case.path.startswith("/api/share/") and case.path.endswith(("/view-token", "/og-image")):
        return shared().once("app share", shared().new_app_share)
    if case.path.startswith("/api/share/"):
        return shared().once("share", shared().new_share)
    if case.path.startswith("/api/apps/view/"):
        return shared().once("view token", view_token)
    if case.path.startswith("/api/webhooks/"):
        return shared().once("webhook", shared().new_webhook)
    return shared().new_invitation(person if case.path.endswith("/accept") else None)


def resource_of(case, person):
    """What a notification rule is for: of the kind that stands beside it."""
    fields = case.query if isinstance(case.query, dict) and "resourceType" in case.query else case.body
    if isinstance(fields, dict) and fields.get("resourceType") == "flow":
        return person.once("flow", person.new_flow)
    return person.once("console", person.new_console)


# A real value for each name that paths have; a path with another name fails until it stands here.
PATH_VALUES = {
    "workspaceId": lambda case, person: person.workspace_id,
    "connectionId": connection_of,
    "consoleId": console_of,
    "folderId": lambda case, person: thing(case, person, "other folder", person.new_folder),
    "dashboardId": dashboard_of,
    "dashboardFolderId": lambda case, person: thing(case, person, "other dashboard folder", person.new_dashboard_folder),
    "appId": app_of,
    "bindingName": lambda case, person: "one",
    "operationId": operation_of,
    "path": lambda case, person: "index.html",
    # Only a preview that runs has one.
    "capability": lambda case, person: uuid.uuid4().hex,
    "filterId": lambda case, person: "region",
    "widgetId": lambda case, person: "words",
    "keyId": lambda case, person: thing(case, person, "key", lambda: person.new_key()["id"]),
    "connectedAppId": lambda case, person: thing(case, person, "connected app", person.new_connected_app),
    "inviteId": lambda case, person: thing(case, person, "invite", lambda: person.new_invite()["id"]),
    "userId": lambda case, person: thing(case, person, "member", person.new_member),
    "sessionId": session_of,
    "file": lambda case, person: thing(case, person, "other file", person.new_file),
    "importId": import_of,
    "table": lambda case, person: thing(case, person, "imported table", person.new_imported_table),
    "token": token_of,
    "flowId": flow_of,
    "executionId": execution_of,
    "runId": run_of,
    "snapshotId": snapshot_of,
    "provider": lambda case, person: "github",
    "ruleId": lambda case, person: thing(case, person, "rule", person.new_rule),
    "metricName": lambda case, person: thing(case, person, "metric", person.new_metric),
    "reviewName": lambda case, person: thing(case, person, "review", person.new_review)[0],
    "chatId": lambda case, person: thing(case, person, "chat", person.new_chat),
    # Only an answer makes them.
    "messageId": lambda case, person: uuid.uuid4().hex[:24],
    "resultId": lambda case, person: uuid.uuid4().hex[:24],
    # Only the end of a run makes one.
    "deliveryId": lambda case, person: uuid.uuid4().hex[:24],
}

# The same for what queries and bodies name.
FIELD_VALUES = {
    "workspaceId": lambda case, person: person.workspace_id,
    "connectionId": lambda case, person: person.sample(),
    "databaseId": lambda case, person: person.sample(),
    "flowId": lambda case, person: person.new_flow(),
    "folderId": folder_of,
    "parentId": folder_of,
    "version": lambda case, person: 1,
    "sha": commit_of,
    "file": lambda case, person: person.once("file", person.new_file),
    "current": lambda case, person: PASSWORD,
    # One id is one run.
    "executionId": lambda case, person: str(uuid.uuid4()),
    "ruleId": lambda case, person: person.once("rule", person.new_rule),
    "resourceId": resource_of,
    # A name that is never given to anybody.
    "url": lambda case, person: "https://hooks.invalid/in",
    "chatWebhookUrl": lambda case, person: "https://chat.invalid/in",
    "teamsWebhookUrl": lambda case, person: "https://teams.invalid/in",
    "cron": lambda case, person: "0 7 * * *",
    "timezone": lambda case, person: "Europe/Vienna",
    # Most moments have passed.
    "expiresAt": lambda case, person: "2999-01-01T00:00:00Z",
    # Nobody listens there: a made-up name would be looked up, and a made-up machine waited for.
    "host": lambda case, person: "127.0.0.1",
    "port": lambda case, person: 9,
}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """With a key, only what takes keys: that the rest refuses them is the access matrix's to prove."""
    for path in LEFT_OUT:
        del raw_schema["paths"][path]
    for index, path in enumerate(list(raw_schema["paths"])):
        if index % SHARDS != SHARD - 1:
            del raw_schema["paths"][path]
    if CREDENTIAL != "key":
        return
    for path, operations in list(raw_schema["paths"].items()):
        for method, operation in list(operations.items()):
            if {"apiKey": []} not in operation.get("security", []):
                del operations[method]
        if not operations:
            del raw_schema["paths"][path]


@schemathesis.hook
def filter_case(context, case):
    """Of an address that is longer than the head of any request, the server reads nothing."""
    return sum(len(quote(str(value))) for value in (case.path_parameters or {}).values()) < HEAD_BYTES_MAX


@schemathesis.hook
def before_call(context, case, kwargs):
    has_body = not isinstance(case.body, NotSet)
    is_for_one = CREDENTIAL == "session" and is_lasting(case) and not (is_refused(case) and has_body)
    person = Person() if is_for_one else shared()
    if case.operation.security.iter_parameters() and has_security(case):
        case._auth = Credential(person, CREDENTIAL == "key")
        case._has_explicit_auth = True
    digest = zlib.crc32(repr((case.path_parameters, case.query, case.body)).encode())
    put_path_values(case, person, digest)
    put_field_values(case, person, digest)


def has_security(case):
    return bool(case.operation.definition.raw.get("security"))


def put_path_values(case, person, digest):
    for parameter in case.operation.path_parameters:
        name = parameter.name
        if name not in PATH_VALUES:
            raise ReferenceError(f"{case.path}: reference_hooks.py has no real value for {{{name}}}. Add one to PATH_VALUES.")
        if not parameter.get_validator().is_valid(case.path_parameters.get(name)):
            continue
        if name != "workspaceId" and digest % KEEP_UNKNOWN_EVERY == 0:
            continue
        case.path_parameters[name] = PATH_VALUES[name](case, person)


def put_field_values(case, person, digest):
    if case.meta is not None and case.meta.generation.mode.is_negative:
        return
    if isinstance(case.query, dict):
        if "sha" in case.query:
            case.query["sha"] = FIELD_VALUES["sha"](case, person)
        if "resourceId" in case.query:
            case.query["resourceId"] = FIELD_VALUES["resourceId"](case, person)
        # A file that is there, as it is now.
        if case.path.endswith("{appId}/files") and case.method.upper() == "DELETE" and digest % 4 != 0:
            case.query["path"] = "index.html"
            case.query.pop("oid", None)
        # A table that is there.
        if case.path.endswith("/ddl") and digest % 4 != 0:
            case.query["name"] = "orders"
            case.query.pop("schema", None)
        # A made-up cursor is refused, or leads past the end.
        if digest % 2 == 0:
            case.query.pop("cursor", None)
    if isinstance(case.body, dict):
        if digest % 4 != 0:
            put_statement(case, digest)
            put_table(case)
        if case.path == "/api/agent/chat" and digest % 4 != 0:
            put_question(case)
        if case.path == "/api/oauth/authorize" and digest % 4 != 0:
            case.body = person.authorization()
        if case.path.endswith("/flows/preview") and digest % 4 != 0:
            case.body = {"connectionId": person.sample(), "query": FREE_STATEMENT}
        if case.path.endswith("/metrics/{metricName}") and digest % 4 != 0:
            case.path_parameters["metricName"] = person.new_metric()
            case.body = {"content": person.metric_content, "version": 1}
        if case.path.endswith("/metrics/query") and digest % 4 != 0:
            case.body = {"metrics": [person.once("metric", person.new_metric)]}
        if case.path == "/api/auth/login" and digest % 2 == 0:
            case.body.update(email=person.email, password=PASSWORD)
        # A commit of one app is none of another's.
        if case.path.endswith("{appId}/rollback") and "appId" in case.path_parameters:
            app, published = person.published_app()
            case.path_parameters["appId"] = app
            case.body["sha"] = published["sha"]
        elif "{reviewName}" in case.path:
            put_review(case, person)
        else:
            put_in(case, person, case.body)
        if isinstance(case.body.get("config"), dict):
            put_in(case, person, case.body["config"])
        for name in ("source", "destination"):
            if isinstance(case.body.get(name), dict):
                put_in(case, person, case.body[name])
        if isinstance(case.body.get("destination"), dict):
            case.body["destination"]["connectionId"] = person.into()


def put_statement(case, digest):
    """Something that runs: made-up statements fail, and made-up values fit no placeholder."""
    for name in ("query", "content"):
        if name in case.body and case.path.endswith("/execute"):
            case.body[name] = FREE_STATEMENT
            if digest % 4 != 1:
                for other in ("params", "variables"):
                    case.body.pop(other, None)


def put_table(case):
    """One that is there: made-up filters name columns that it does not have."""
    if case.path.endswith(("/rows", "/rows/count")):
        case.body["table"] = {"name": "orders"}
        for name in ("filters", "sort", "after"):
            case.body.pop(name, None)
    if case.path.endswith("/question"):
        case.body["question"] = {"table": {"name": "orders"}}
    if case.path.endswith("/rows/changes"):
        case.body.update(table={"name": "orders"}, changes=[{"op": "insert"}], dryRun=True)


def put_question(case):
    """One that is answered: most of what is made up names nobody's chat, console, agent or model."""
    parts = [{"type": "text", "text": "How many orders are there?"}]
    case.body["messages"] = [{"id": "question", "role": "user", "parts": parts}]
    case.body["chatId"] = uuid.uuid4().hex[:24]
    for name in ("modelId", "agentId", "openConsoles", "consoleId"):
        case.body.pop(name, None)


def put_review(case, person):
    """Its head, or its file: another commit conflicts, and another path is none of it."""
    if "sha" in case.body:
        case.body["sha"] = person.once("review", person.new_review)[1]
    if "path" in case.body:
        case.body["path"] = REVIEWED
        case.body.pop("variables", None)


def put_in(case, person, fields):
    for name, make in FIELD_VALUES.items():
        if fields.get(name) is not None:
            fields[name] = make(case, person)


@schemathesis.check
def form_is_accepted(ctx, response, case):
    """Data of the documented form is never answered with `invalid_request`, but for what the operation's x-refuses names."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code not in (400, 413, 415, 422):
        return
    try:
        answer = response.json()
    except ValueError:
        return
    if answer.get("code") not in ("invalid_request", "too_large", "unsupported_media_type"):
        return
    named = case.operation.definition.raw.get("x-refuses", {})
    details = answer.get("details")
    paths = [item.get("path", "") for item in details] if isinstance(details, list) else [""]
    # Engines judge a query and its values as a whole: they name no field.
    if all(path == "" and named or is_named(path, named) for path in paths):
        return
    raise AssertionError(f"Data of the documented form was refused: {answer.get('error')} {json.dumps(details)}")


def is_named(path, named):
    return any(path == name or path.startswith(f"{name}.") for name in named)


# What each operation has answered, for whoever looks whether one was never served at all.
_seen = {}


@schemathesis.hook
def after_call(context, case, response):
    with _lock:
        _seen.setdefault(case.operation.label, set()).add(response.status_code)


@atexit.register
def write_seen():
    path = os.environ.get("REFERENCE_SEEN")
    if path:
        with open(path, "w") as file:
            json.dump({label: sorted(statuses) for label, statuses in _seen.items()}, file)
