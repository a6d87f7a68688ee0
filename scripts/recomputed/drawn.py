"""The calls of an apitrace."""

import collections
import functools
import hashlib
import itertools
import json
import re
import subprocess

from recomputed import common
from recomputed.common import median


def plain(name):
    """The name of a function of OpenGL without `gl` and what vendors append."""
    return re.sub(r"^gl(?!X)|(ObjectARB|ARB|EXT|NV|OES|KHR|ATI|AMD|APPLE|ANGLE|SGIS|INTEL|MESA)$", "", name)


def dumped(path, has_blobs):
    """The calls of a trace. Of bytes only a hash is kept."""
    command = [common.CLI, "dump", path, "--json", *["--blobs"] * has_blobs]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        for line in process.stdout:
            call = json.loads(line)
            if "name" not in call:
                continue
            for value in call["args"].values():
                if isinstance(value, dict) and "hex" in value:
                    value["hash"] = hashlib.sha256(value.pop("hex").encode()).hexdigest()
            call["plain"] = plain(call["name"])
            call["values"] = list(call["args"].values())
            yield call


def blob(call):
    """The bytes that a call hands over, or None."""
    return next((value for value in call["values"] if isinstance(value, dict) and "bytes" in value), None)


def is_own(call):
    """Whether the program has made the call, and it returned."""
    return not {"fake", "incomplete"} & set(call["flags"])


class Contexts:
    """Which context is current in which thread, which were created in the trace, and which share objects."""

    def __init__(self):
        self.known, self.current, self.shares = {}, {}, {}

    def follow(self, call):
        name, thread, returned = call["name"], call["thread"], call.get("ret")
        if re.search(r"^(glX|egl|wgl)Create(New)?Context", name) and returned:
            context = self.known[returned] = (returned, call["call"])
            share = next((call["args"][key] for key in ("shareList", "share_context", "share_list", "hShareContext") if call["args"].get(key)), None)
            self.shares[context] = self.shares.get(self.known.get(share), context)
        elif re.search(r"^(glX|egl|wgl)Make(Context)?Current", name) and returned not in ("False", "EGL_FALSE", 0):
            handle = next((call["args"][key] for key in ("ctx", "hglrc") if key in call["args"]), None)
            self.current[thread] = self.known.setdefault(handle, (handle, None)) if handle else None
        return self.current.get(thread) or ("thread", thread)


class Errors:
    """The calls of each thread since glGetError has returned that there is no error."""

    is_of_lists = True

    def __init__(self, _):
        self.since = collections.defaultdict(list)

    def look(self, call, _):
        thread, error = call["thread"], call.get("ret")
        if call["name"] == "eglGetError":
            return () if error in ("EGL_SUCCESS", 0x3000) else ("error", f"eglGetError returns {error if isinstance(error, str) else hex(error)}", call["call"], 1)
        if call["plain"] == "GetError":
            since = self.since[thread]
            if error in ("GL_NO_ERROR", 0):
                self.since[thread] = []
                return ()
            if len(since) == 1:
                return "error", f"{since[0]['name']} raises {error}", since[0]["call"], 1
            return "error", f"{error}, raised by one of the calls since the previous glGetError", call["call"], 1
        if "Make" in call["name"] and "Current" in call["name"]:
            self.since[thread] = []
        elif call["plain"] != call["name"] and call["name"] != "memcpy" and is_own(call):
            self.since[thread].append(call)
        return ()


class Waits:
    """Calls that return after the GPU has done earlier work. Queries by context."""

    def __init__(self, _):
        self.active, self.ended = {}, set()

    def look(self, call, context):
        name, args = call["plain"], call["args"]
        wait = ("wait", call["name"], call["call"], 1)
        if name == "Finish":
            self.ended.clear()
            return wait
        if re.fullmatch(r"Readn?Pixels|Getn?(Compressed)?Tex(ture)?(Sub)?Image", name):
            return wait if blob(call) else ()
        if name == "ClientWaitSync":
            return wait if args["timeout"] != 0 and call.get("ret") in ("GL_TIMEOUT_EXPIRED", "GL_CONDITION_SATISFIED") else ()
        if name == "BeginQuery":
            self.active[context, args["target"]] = args["id"]
        elif name == "EndQuery" and (context, args["target"]) in self.active:
            self.ended.add((context, self.active.pop((context, args["target"]))))
        elif name == "QueryCounter":
            self.ended.add((context, args["id"]))
        elif re.fullmatch(r"GetQueryObjectu?i(64)?v", name) and isinstance(args["params"], list):
            query, is_open = (context, args["id"]), (context, args["id"]) in self.ended
            if args["pname"] == "GL_QUERY_RESULT" or args["params"] not in ([0], ["GL_FALSE"]):
                self.ended.discard(query)
            return wait if is_open and args["pname"] == "GL_QUERY_RESULT" else ()
        return ()


class Draws:
    """Which calls draw, and how many vertices: None if the trace does not say that."""

    # Vertices of the first primitive.
    LEAST = {"GL_LINES": 2, "GL_LINE_LOOP": 2, "GL_LINE_STRIP": 2, "GL_TRIANGLES": 3, "GL_TRIANGLE_STRIP": 3, "GL_TRIANGLE_FAN": 3, "GL_POLYGON": 3,
             "GL_QUADS": 4, "GL_QUAD_STRIP": 4, "GL_LINES_ADJACENCY": 4, "GL_LINE_STRIP_ADJACENCY": 4, "GL_TRIANGLES_ADJACENCY": 6,
             "GL_TRIANGLE_STRIP_ADJACENCY": 6}  # fmt: skip

    def __init__(self, _):
        self.begun, self.ended = {}, None

    def follow(self, call):
        """Counts what is between glBegin and glEnd."""
        name, thread = call["plain"], call["thread"]
        if name == "Begin":
            self.begun[thread] = [call["args"]["mode"], 0]
        elif thread in self.begun and re.match(r"Vertex[234]", name):
            self.begun[thread][1] += 1
        elif thread in self.begun and re.match(r"CallList|ArrayElement|Eval", name):
            self.begun.pop(thread)
        self.ended = self.begun.pop(thread, None) if name == "End" else None

    @staticmethod
    def is_draw(call):
        is_named = re.fullmatch(r"gl((Multi)?Draw(?!Buffer).*|Multi(Mode)?Draw.*|End|Rect\w+|Bitmap|CopyPixels|Blit\w*Framebuffer\w*|EvalMesh\d)", call["name"])
        # What lists draw is in the calls that compiled them.
        is_list = call["plain"] in ("CallList", "CallLists") and "draw" in call["flags"]
        return (bool(is_named) or is_list) and "compiled" not in call["flags"]

    def vertices(self, call):
        """The mode, the vertices of each instance, and of all."""
        if call["plain"] == "End":
            return (*self.ended, self.ended[1]) if self.ended else None
        count, args = call["args"].get("count"), call["args"]
        if not re.match(r"(Multi)?Draw(Range)?(Arrays|Elements)", call["plain"]) or not isinstance(count, (int, list)):
            return None
        if isinstance(count, list):
            return None, max(sum(count), 0), max(sum(count), 0)
        times = next((args[key] for key in ("instancecount", "primcount") if key in args), 1)
        return args["mode"], max(count, 0), max(count, 0) * times

    def look(self, call, _):
        self.follow(call)
        drawn = self.vertices(call) if self.is_draw(call) else None
        if not drawn or (drawn[2] and drawn[1] >= self.LEAST.get(drawn[0], 1)):
            return ()
        mode, each, every = drawn
        words = f"{each} {'vertex' if each == 1 else 'vertices'} as {mode}, which takes {self.LEAST.get(mode, 1)}" if every else "no vertices"
        return "empty", f"{call['name']} draws {words}", call["call"], 1


class Clears:
    """Draws to the framebuffer that is bound, since anything may have used them, by context."""

    USE = re.compile(r"Read|Copy|Blit|List|Dispatch|Barrier|Framebuffer|Invalidate|Discard|Delete|EGLImage|TexImage|TextureImage|TexStorage|DrawBuffer"
                     r"|^(Accum|Flush|Finish|FenceSync|Generate\w*Mipmap|ClearBuffer(?!\w*Data)\w*|BindBuffer(Base|Range)|Begin\w+|End\w+)")  # fmt: skip
    UNKNOWN = re.compile(r"PopAttrib|ColorMaski|StencilMaskSeparate|(En|Dis)ablei|BindBuffers\w+|NewList|BindImageTexture\w*|\w*ImageHandle\w*|BeginQueryIndexed")

    def __init__(self, draws):
        self.draws, self.of, self.latest = draws, {}, None

    def forget(self):
        for it in self.of.values():
            it.update(draws=0, written=set())

    def look(self, call, context):
        name = call["plain"]
        self.draws.follow(call)
        is_draw = self.draws.is_draw(call)
        if not call["name"].startswith("gl") or call["name"].startswith("glX"):
            if not re.search("Get|Query|Choose|Create|memcpy", call["name"]):
                self.forget()
            return ()
        if name == "GetError" and call.get("ret") not in ("GL_NO_ERROR", 0):
            self.forget()
        if name == "GetError" or re.match(r"(Get|Is|Check)(?!\w*(Image|Pixels))", name):
            return ()
        if self.latest != context and (is_draw or name == "Clear"):
            self.forget()
            self.latest = context
        it = self.of.setdefault(context, {"draws": 0, "written": set(), "framebuffer": 0, "on": set(), "masked": set(), "unknown": context[1] is None or context[0] == "thread"})
        if is_draw:
            self.drawn(call, it)
        elif name == "Clear":
            return self.cleared(call, it)
        else:
            self.changed(call, name, it)
        return ()

    def drawn(self, call, it):
        drawn = self.draws.vertices(call)
        if re.search("Blit|Copy|List", call["plain"]) or "query" in it["on"]:
            it.update(draws=0, written=set())
        elif not drawn or drawn[2]:
            it["draws"] += 1
            it["written"] |= {"DEPTH"} if "GL_DEPTH_TEST" in it["on"] and "DEPTH" not in it["masked"] else set()
            it["written"] |= {"STENCIL"} & {key[3:10] for key in it["on"]}

    def changed(self, call, name, it):
        args = call["values"]
        if name in ("Enable", "Disable"):
            (it["on"].add if name == "Enable" else it["on"].discard)(args[0])
        elif name in ("DepthMask", "ColorMask", "StencilMask"):
            # Any plane of bits that cannot be written.
            is_written = args[0] & 255 == 255 if name == "StencilMask" else not {"GL_FALSE", "False", 0, False} & set(args)
            (it["masked"].discard if is_written else it["masked"].add)(name[:-4].upper())
        elif self.UNKNOWN.fullmatch(name):
            it["unknown"] = True
        elif self.USE.search(name):
            it.update(draws=0, written=set())
            if name == "BindFramebuffer" and args[0] != "GL_READ_FRAMEBUFFER":
                it["framebuffer"] = args[1]
            if name == "DrawBuffer" and args[0] not in ("GL_BACK", "GL_BACK_LEFT", "GL_COLOR_ATTACHMENT0"):
                it["unknown"] = True
            if re.match("(Begin|End)(Query|TransformFeedback|ConditionalRender)", name):
                (it["on"].add if name.startswith("Begin") else it["on"].discard)("query")

    def cleared(self, call, it):
        if {"GL_SCISSOR_TEST", "GL_RASTERIZER_DISCARD"} & it["on"] or it["unknown"]:
            return ()
        planes = set(re.findall(r"GL_(\w+)_BUFFER_BIT", str(call["values"][0]))) - it["masked"]
        it["written"] -= planes
        if "COLOR" not in planes or it["written"] or not it["draws"]:
            return ()
        draws, it["draws"], number = it["draws"], 0, it["framebuffer"]
        return "clear", f"{call['name']} throws away draws to {f'framebuffer {number}' if number else 'the window'}:", call["call"], draws


class States:
    """What calls of a context have set. What is not known to be the same is not."""

    # Functions, the state that they set, the number of arguments that say which part, and what else decides which.
    TABLE = [(re.compile(names), *row) for names, *row in [
        (r"(En|Dis)able", "enabled", 1, "unit"),
        (r"(En|Dis)ableClientState", "client state", 1, "array"),
        (r"(En|Dis)ableVertexAttribArray", "attribute", 1, "array"),
        (r"ActiveTexture", "unit", 0, ""),
        (r"ClientActiveTexture", "client unit", 0, ""),
        (r"BindTexture", "texture", 1, "unit"),
        (r"BindVertexArray", "array", 0, ""),
        (r"BindBuffer(Base|Range)", "indexed buffer", 2, ""),
        (r"BindBuffer", "buffer", 1, "array"),
        (r"UseProgram", "program", 0, ""),
        (r"UniformBlockBinding", "uniform", 2, ""),
        (r"Uniform(Matrix)?[1-4](x[2-4])?(f|d|i|ui)v?", "uniform", 1, "program"),
        (r"VertexAttrib[IL]?(Pointer|Format)|VertexAttribBinding|BindVertexBuffer", "pointer", 1, "array"),
        (r"Vertex(Attrib|Binding)Divisor", "divisor", 1, "array"),
        (r"(Vertex|Normal|Color)Pointer", "", 0, "array"),
        (r"TexParameterI?[fiu]+v?", "texture parameter", 2, "texture"),
        (r"TexEnv[fi]v?", "texture environment", 2, "unit"),
        (r"SamplerParameterI?[fiu]+v?", "sampler parameter", 2, ""),
        (r"(Hint|BindSampler|BindImageTexture|BindRenderbuffer|BindTransformFeedback|SampleMaski|BindProgramARB)", "", 1, ""),
        (r"(PixelStore|PixelTransfer|Fog|LightModel|PointParameter|PatchParameter)(?:[fi]v?)", "", 1, ""),
        (r"(Blend(?:Func|Equation)|Stencil(?:Func|Mask|Op))(?:Separate)?", "", 0, ""),
        (r"(DepthRange|ClearDepth)f?", "", 0, ""),
        (r"(BlendColor|AlphaFunc|LogicOp|DepthFunc|DepthMask|ColorMask|Clear(?:Color|Stencil|Index|Accum)|CullFace|FrontFace|PolygonMode"
         r"|PolygonOffset|Viewport|Scissor|LineWidth|LineStipple|PointSize|ShadeModel|ProvokingVertex|PrimitiveRestartIndex|SampleCoverage"
         r"|MinSampleShading|ClipControl|PixelZoom|MatrixMode|ColorMaterial|BindFramebuffer|BindProgramPipeline|ActiveStencilFace|DepthBounds)", "", 0, ""),
    ]]  # fmt: skip
    # What may have changed any part of a state, and what anything.
    CHANGES = {
        "attribute": r"(En|Dis)ableVertexArrayAttrib",
        "enabled": r"(En|Dis)ablei",
        "texture": r"BindTextures|BindTextureUnit",
        "indexed buffer": r"BindBuffers\w+",
        "buffer": r"VertexArrayElementBuffer",
        "pointer": r"BindVertexBuffers|VertexArray(?!Element|BindingDivisor)\w+",
        "divisor": r"VertexArrayBindingDivisor",
        "uniform": r"ProgramUniform\w+|UniformSubroutines\w+",
        "texture parameter": r"TextureParameter\w+|GenerateMipmap",
    }
    FORGET = re.compile(r"Delete\w+|Pop(Client)?Attrib|LinkProgram|ProgramBinary|UseProgramStages|CallLists?")
    OF_UNITS = re.compile(r"GL_TEXTURE_(1D|2D|3D|CUBE_MAP|RECTANGLE|GEN_[STRQ])")

    def __init__(self, _):
        self.contexts, self.latest, self.begun = {}, None, set()
        self.known = {}

    def row(self, name):
        if name not in self.known:
            found = ((pattern.fullmatch(name), row) for pattern, *row in self.TABLE)
            match, row = next((it for it in found if it[0]), (None, None))
            changed = [state for state, names in self.CHANGES.items() if re.fullmatch(names, name)]
            self.known[name] = (row and (row[0] or match[1], *row[1:]), changed)
        return self.known[name]

    def look(self, call, context):
        name = call["plain"]
        if name == "Begin":
            self.begun.add(call["thread"])
        elif name == "End":
            self.begun.discard(call["thread"])
        if self.FORGET.fullmatch(name) or (name == "GetError" and call.get("ret") not in ("GL_NO_ERROR", 0)):
            for it in self.contexts.values():
                it["set"].clear()
            if name in ("PopAttrib", "CallList", "CallLists") and context in self.contexts:
                # These may have activated another unit.
                self.contexts[context]["bound"]["unit"] = call["call"]
        row, changed = self.row(name)
        if call["thread"] in self.begun or not (row or changed):
            return ()
        if self.latest != context:
            for it in self.contexts.values():
                it["set"].clear()
            self.latest = context
        it = self.contexts.setdefault(context, {"set": {}, "bound": {}})
        is_same = self.put(call, row, it) if row else False
        for state in changed:
            self.forget(it, state)
        constants = [value for value in call["values"][: row[1]] if isinstance(value, str) and value.startswith("GL_")] if row else []
        kind = "bind" if re.match("Bind|UseProgram", name) else "state"
        return (kind, call["name"] + f"({', '.join(constants)})" * bool(constants) + ":", call["call"], 1) if is_same else ()

    @staticmethod
    def forget(it, state):
        it["set"] = {key: value for key, value in it["set"].items() if key[0] != state}

    def decided_by(self, state, needs, first, it):
        """What else decides which state is set. None if that is not known."""
        bound = it["bound"]
        if needs == "unit":
            return bound.get("unit", "GL_TEXTURE0") if state != "enabled" or self.OF_UNITS.fullmatch(str(first)) else ""
        if needs == "texture":
            return it["set"].get(("texture", bound.get("unit", "GL_TEXTURE0"), json.dumps([first])))
        if needs == "array" and (state != "buffer" or first == "GL_ELEMENT_ARRAY_BUFFER"):
            return bound.get("array", 0) if first != "GL_TEXTURE_COORD_ARRAY" else None
        return bound.get("program", 0) if needs == "program" else ""

    def put(self, call, row, it):
        """Sets a state. Whether it was set to that."""
        state, keys, needs = row
        values, bound = call["values"], it["bound"]
        decided = self.decided_by(state, needs, values[0], it)
        # Several uniforms overlap with others, and memory of the program may have changed.
        is_several = state == "uniform" and call["args"].get("count", 1) != 1
        if is_several:
            # Elements of an array have a location each.
            last = values[0] + call["args"]["count"]
            of_program = [key for key in it["set"] if key[:2] == (state, decided)]
            for key in of_program:
                if values[0] <= json.loads(key[2])[0] < last:
                    del it["set"][key]
            return False
        if decided is None or blob(call):
            self.forget(it, state)
            return False
        if state == "uniform" and values[0] == -1:
            # Nothing is set.
            return False
        key, value = (state, decided, json.dumps(values[:keys])), (call["name"], json.dumps(values[keys:]))
        if state in ("pointer", "Vertex", "Normal", "Color"):
            value = (*value, bound.get("GL_ARRAY_BUFFER", 0))
        is_same = it["set"].get(key) == value
        it["set"][key] = value
        if state == "indexed buffer":
            # It binds to the target itself, too.
            key, value = ("buffer", "", json.dumps(values[:1])), ("glBindBuffer", json.dumps(values[2:3]))
            is_same &= it["set"].get(key) == value
            it["set"][key] = value
            bound[values[0]] = values[2]
        if state in ("unit", "array", "program"):
            bound[state] = values[-1]
        elif state == "buffer":
            bound[values[0]] = values[-1]
        return is_same


class Uploads:
    """What parts of textures and buffers hold, as far as uploads say."""

    OF_TEXTURE = re.compile(r"(Compressed)?(Multi)?Tex(ture)?(Sub)?Image[123]D")
    OF_BUFFER = re.compile(r"(Named)?Buffer(Sub)?(Data|Storage)")
    # Objects that these are applied to may be written by the GPU, or by the program, at any time.
    WRITTEN = re.compile(r"(Named)?FramebufferTexture\w*|Copy(Texture|Tex)(Sub)?Image[123]D|Map(Named)?Buffer(Range)?|BindBuffer(Base|Range)?")
    GPU_TARGETS = ("GL_PIXEL_PACK_BUFFER", "GL_TRANSFORM_FEEDBACK_BUFFER", "GL_SHADER_STORAGE_BUFFER", "GL_QUERY_BUFFER", "GL_ATOMIC_COUNTER_BUFFER")
    FORGET = re.compile(r"CallLists?|Pop\w*|PixelTransfer\w*|PixelMap\w*|\w*Convolution\w*|\w*ColorTable\w*|Invalidate\w+|\w*PageCommitment|Copy(Image|Buffer|NamedBuffer)SubData"
                        r"|Clear\w*(Data|Tex)\w*")  # fmt: skip
    ENDS = re.compile(r"BindImageTextures?|BindBuffers\w+|TransformFeedbackBuffer\w*|\w*(BindTexImage|EGLImageTarget|MemoryObject|ImageHandle|TextureView|Semaphore)\w*")

    def __init__(self, _):
        self.bound, self.held, self.deleted, self.shares = {}, {}, collections.Counter(), {}
        self.store, self.is_over, self.makes_levels = collections.defaultdict(dict), False, False

    def look(self, call, context):
        name, args = call["plain"], call["args"]
        if self.is_over or self.ENDS.search(name):
            self.is_over = True
            return ()
        if self.FORGET.fullmatch(name) or (name == "GetError" and call.get("ret") not in ("GL_NO_ERROR", 0)):
            for it in self.held.values():
                it["parts"].clear()
        if name.startswith("Bind") or name == "ActiveTexture":
            self.bind(name, args, context)
        elif name.startswith("PixelStore") and "UNPACK" in str(args["pname"]):
            self.store[context][args["pname"]] = args["param"]
        elif re.match("Tex(ture)?Parameter", name):
            self.makes_levels |= args["pname"] == "GL_GENERATE_MIPMAP"
        elif name in ("DeleteTextures", "DeleteBuffers"):
            for number in call["values"][1] or []:
                self.deleted[name[6:-1], self.space(context), number] += 1
                # It is bound no more, in this context.
                self.bound = {key: it for key, it in self.bound.items() if key[0] != context or it[:3] != (name[6:-1], self.space(context), number)}
        return self.touched(call, context)

    def space(self, context):
        return self.shares.get(context, context)

    def bind(self, name, args, context):
        if name == "ActiveTexture":
            self.bound[context, "unit"] = args["texture"]
        elif name in ("BindTexture", "BindVertexArray"):
            key = (self.bound.get((context, "unit"), "GL_TEXTURE0"), args["target"]) if name == "BindTexture" else "array"
            self.bound[context, key] = self.object("Texture", context, args["texture"]) if name == "BindTexture" else args["array"]
        elif name.startswith("BindBuffer"):
            self.bound[context, self.buffer_slot(args["target"], context)] = self.object("Buffer", context, args["buffer"])

    def buffer_slot(self, target, context):
        return (target, self.bound.get((context, "array"), 0) if target == "GL_ELEMENT_ARRAY_BUFFER" else 0)

    def object(self, noun, context, number):
        space = self.space(context)
        return noun, space, number, self.deleted[noun, space, number]

    def object_of(self, call, context):
        """The texture or buffer that a call is about."""
        name, args = call["plain"], call["args"]
        if "Buffer" in name and "Framebuffer" not in name:
            return self.object("Buffer", context, args["buffer"]) if "buffer" in args else self.bound.get((context, self.buffer_slot(args["target"], context)))
        if args.get("texture"):
            return self.object("Texture", context, args["texture"])
        target = re.sub(r"GL_TEXTURE_CUBE_MAP_(POSI|NEGA)TIVE_.", "GL_TEXTURE_CUBE_MAP", str(args.get("target")))
        return self.bound.get((context, (self.bound.get((context, "unit"), "GL_TEXTURE0"), target)))

    def touched(self, call, context):
        name, args = call["plain"], call["args"]
        is_upload = self.OF_TEXTURE.fullmatch(name) or self.OF_BUFFER.fullmatch(name)
        if not is_upload and not self.WRITTEN.fullmatch(name) and name not in ("GenerateMipmap", "GenerateTextureMipmap", "UnmapBuffer", "UnmapNamedBuffer"):
            return ()
        at = self.object_of(call, context)
        if not at or not at[2]:
            return ()
        it = self.held.setdefault(at, {"parts": {}, "is_unknown": False})
        if "Mipmap" in name:
            it["parts"] = {place: value for place, value in it["parts"].items() if place[0] == 0}
        elif name.startswith(("Map", "Unmap")):
            it["parts"].clear()
            it["is_unknown"] |= "PERSISTENT" in str(args.get("access"))
        elif not is_upload:
            it["is_unknown"] |= not name.startswith("Bind") or args["target"] in self.GPU_TARGETS
        else:
            return self.upload(call, context, at, it)
        return ()

    def upload(self, call, context, at, it):
        name, args = call["plain"], call["args"]
        data, unpack = blob(call), self.bound.get((context, ("GL_PIXEL_UNPACK_BUFFER", 0)))
        if it["is_unknown"] or not data or not data["bytes"] or (unpack and unpack[2]):
            it["parts"].clear()
            return ()
        box = None
        if "Sub" in name and "offset" in args:
            box = ((args["offset"], args["offset"] + args["size"]),)
        elif "Sub" in name:
            sides = [(args.get(f"{axis}offset", 0), args.get(size, 1)) for axis, size in zip("xyz", ("width", "height", "depth"))]
            box = tuple((begin, begin + size) for begin, size in sides)
        place = args.get("level", 0), args.get("target") if "CUBE_MAP_" in str(args.get("target")) else "", box
        store = {key: value for key, value in self.store[context].items() if value not in ((4,) if key == "GL_UNPACK_ALIGNMENT" else (0, "GL_FALSE"))}
        rest = [name, store if at[0] == "Texture" else "", {key: value for key, value in args.items() if key not in ("target", "texture", "buffer")}]
        value = json.dumps(rest, sort_keys=True)
        if it["parts"].get(place) == value and not (self.makes_levels and place[0]):
            return "upload", f"{at[0]} {at[2]} ", call["call"], data["bytes"], at
        meets = [other for other in it["parts"] if other[0] == place[0] and (None in (box, other[2]) or all(a < d and c < b for (a, b), (c, d) in zip(box, other[2])))]
        for other in meets:
            del it["parts"][other]
        it["parts"][place] = value
        return ()


class Drawn:
    """The calls of an apitrace trace."""

    FINDERS = {"error": Errors, "wait": Waits, "clear": Clears, "upload": Uploads, "bind": States, "state": States, "empty": Draws}
    FRAME_END = re.compile(r"(glX|egl|wgl)\w*SwapBuffers\w*|glFrameTerminatorGREMEDY|CGLFlushDrawable|IDXGISwapChain\d*::Present\d*|IDirect3D(Device|SwapChain)\w*::Present\w*")
    # What is uploaded, of which kind.
    UPLOADS = {
        "textureBytes": re.compile(r"(Compressed)?(Multi)?Tex(ture)?(Sub)?Image[123]D|ClearTex\w+"),
        "bufferBytes": re.compile(r"(Named)?Buffer(Sub)?(Data|Storage)|memcpy"),
        "shaderBytes": re.compile(r"ShaderSource"),
    }

    def __init__(self, path, kinds):
        self.calls = list(dumped(path, "upload" in kinds))
        # How many frames ended before each call. Calls come in the order in which they returned.
        ends = itertools.accumulate((bool(self.FRAME_END.fullmatch(call["name"])) for call in self.calls), initial=0)
        self.frame = {call["call"]: count for call, count in zip(self.calls, ends)}
        self.known = {}

    def groups(self, kind):
        """What there is of a kind: what each is called, and its calls with what they cost."""
        if kind not in self.known:
            contexts, groups, compiling = Contexts(), {}, {}
            finder = self.FINDERS[kind](Draws(None))
            finder.shares = contexts.shares
            for call in self.calls:
                context = contexts.follow(call)
                if call["plain"] == "EndList":
                    compiling.pop(call["thread"], None)
                if call["thread"] in compiling and not hasattr(finder, "is_of_lists"):
                    continue
                if call["plain"] == "NewList" and call["args"]["mode"] == "GL_COMPILE":
                    compiling[call["thread"]] = True
                of, *found = finder.look(call, context) or [""]
                if of == kind and (is_own(call) or kind in ("error", "wait") and "fake" not in call["flags"]):
                    label, number, cost, *key = found
                    groups.setdefault((label, *key), []).append((number, cost))
            self.known[kind] = [(key[0], sorted(calls)) for key, calls in groups.items()]
        return self.known[kind]

    def group(self, finding):
        """The calls that a finding is about: those that begin where it does, and are called as it says."""
        found = (calls for label, calls in self.groups(finding["kind"]) if calls[0][0] == finding["at"] and finding["sentence"].startswith(label))
        return next(found, None)

    def value(self, finding, claim):
        quantity = claim["quantity"]
        if finding["kind"] == "frame":
            return self.of_frame(finding, quantity)
        calls = self.group(finding)
        if not calls:
            return "nothing like it begins at its call"
        every = [cost for _, its in self.groups(finding["kind"]) for _, cost in its]
        cost = sum(it for _, it in calls)
        first, last = self.frame[calls[0][0]], self.frame[calls[-1][0]]
        frames = [it is claim for it in finding["claims"] if it["quantity"] == "frame"]
        if quantity == "frame" and len(frames) != 1 + (first != last):
            return f"{first} to {last}"
        return {
            "calls": len(calls),
            "cost": cost,
            "frame": last if frames[-1] else first,
            "others": len(self.groups(finding["kind"])) - 1,
            "calls-of-others": len(every) - len(calls),
            "cost-of-others": sum(every) - cost,
        }.get(quantity)

    @functools.cached_property
    def frames(self):
        """The figures of each frame, and its first call."""
        frames, draws = [], Draws(None)
        is_over = True
        for call in self.calls:
            if is_over:
                frames.append(collections.Counter(first=call["call"]))
            frames[-1]["draws"] += draws.is_draw(call)
            for key, pattern in self.UPLOADS.items():
                if pattern.fullmatch(call["plain"]):
                    text = call["args"].get("string") or []
                    frames[-1][key] += sum(len(it.encode()) for it in text) if text else (blob(call) or {"bytes": 0})["bytes"]
            is_over = self.FRAME_END.fullmatch(call["name"])
        return frames

    def of_frame(self, finding, quantity):
        number = next((at for at, frame in enumerate(self.frames) if frame["first"] == finding["at"]), None)
        key = next(it["quantity"] for it in finding["claims"] if it["quantity"] in (*self.UPLOADS, "draws"))
        if number is None:
            return "no frame begins there"
        values = [frame[key] for frame in self.frames]
        return {"frame": number, key: values[number], "median": median(values), "share": values[number] / sum(values)}.get(quantity)

    def causes(self, finding):
        if finding["kind"] == "frame" or not self.group(finding):
            return ""
        calls = self.group(finding)
        if [number for number, _ in calls[:64]] != finding["places"]:
            return "its calls are others than its places"
        most = max(sum(cost for _, cost in its) for _, its in self.groups(finding["kind"]))
        is_most = sum(cost for _, cost in calls) == most or not any(it["quantity"] == "others" for it in finding["claims"])
        return "" if is_most else f"another one costs {most}"
