"""A subject that misbehaves, in the way its argument names, when a program has sqt. It accepts everything else."""
import json, os, sys, time

how = sys.argv[1]
host, out = os.fdopen(int(os.environ["LOCKSTEP_IN"])), os.fdopen(int(os.environ["LOCKSTEP_OUT"]), "w")
rsq_was_there, times, answers = False, 0, 0


def say(message):
    out.write(message + "\n")
    out.flush()


def response(request, result):
    return json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result})


def lanes(request, count):
    outputs = {name: ["00000000"] * 4 for name in request["params"]["program"]["entry"]["outputs"]}
    return {"verdict": "accepted", "lanes": [{"status": "finished", "outputs": outputs}] * count}


def misbehave(request):
    good = response(request, {"verdict": "accepted"})
    if how == "exit":
        print("about to end")
        sys.exit(7)
    elif how == "reject":
        say(response(request, {"verdict": "rejected"}))
    elif how == "second":
        sys.exit(7)
    elif how == "signal":
        os.kill(os.getpid(), 11)
    elif how == "compute":
        while True:
            pass
    elif how == "wait":
        time.sleep(1000)
    elif how == "garbage":
        say("this is no JSON")
    elif how == "deep":
        say("[" * 100000)
    elif how == "long":
        while True:
            out.write("x" * 65536)
    elif how == "empty":
        while True:
            say("[]")
    elif how == "close":
        out.close()
        time.sleep(1000)
    elif how == "twice":
        say(good)
        say(good)
    elif how == "other":
        say(response({"id": 123456}, {"verdict": "accepted"}))
    elif how == "no-number":
        say('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}')
    elif how == "no-field":
        say(response(request, {"consumed": 1}))
    elif how == "error":
        say(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": {"code": 1, "message": "cannot"}}))
    elif how == "old":
        say(good.replace("2.0", "1.0"))
    elif how == "lanes":
        say(response(request, lanes(request, 1000)))
    elif how == "bits":
        say(response(request, lanes(request, len(request["params"]["lanes"]))).replace("00000000", "1.0"))
    elif how == "nothing":
        say(response(request, {"verdict": "accepted", "lanes": [{"status": "finished"}] * len(request["params"]["lanes"])}))
    elif how == "fork":
        if os.fork() == 0:
            time.sleep(1000)
        sys.exit(3)
    elif how == "away":
        # A process in a session of its own whose parent has ended.
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(1000)
            os._exit(0)
        os.wait()
        sys.exit(3)
    elif how == "print":
        for _ in range(300):
            print("y" * 65536)
        sys.exit(5)
    elif how == "history":
        if rsq_was_there:
            sys.exit(9)
        say(good)
    elif how == "fickle":
        # The answers alternate.
        say(response(request, {"verdict": "rejected" if times % 2 else "accepted"}))
    else:
        say(good)


if how == "second":
    # The first worker only answers the greeting and the second is asked; no third one starts.
    if os.path.exists("started-2"):
        sys.exit(4)
    open("started-2" if os.path.exists("started-1") else "started-1", "w").close()
for line in host:
    messages = json.loads(line)
    for request in messages if isinstance(messages, list) else [messages]:
        if request["method"] == "initialize":
            runs = how in ("lanes", "bits", "nothing")
            hello = {"protocol": 2 if how == "version" else 1, "name": "bad", "isas": ["d3d9" if how == "isa" else "agal"]}
            hello["abilities"] = [] if how == "unable" else ["run" if runs else "decode"]
            if how == "good":
                hello["profile"] = {"invalid": {"malformed": "any"}}
            if how == "names":
                hello.update(name="bad\none", version="1\r2")
            if how == "profile":
                hello["profile"] = {"supports": "only movv"}
            say(response(request, hello))
            continue
        program = request["params"].get("program", request["params"])
        answers += 1
        if how == "count" and answers == 5:
            sys.exit(9)
        if how == "refuse":
            say(response(request, {"verdict": "unsupported"}))
            continue
        if "sqt" in program["opcodes"]:
            times += 1
            misbehave(request)
        else:
            say(response(request, {"verdict": "unsupported" if how in ("lanes", "bits", "nothing") else "accepted"}))
        rsq_was_there |= "rsq" in program["opcodes"]
