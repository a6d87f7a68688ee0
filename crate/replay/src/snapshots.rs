//! Copies of what a replay knows, made now and then while it goes on. A jump begins at the latest
//! one that serves, so that the calls before it are not executed again. What was drawn is not part
//! of them: the draws that a picture needs come after them, or
//! `web/features/pictures/worker/replay_keyframes.ts` has copies.
//!
//! ```text
//! calls      0 ─────── 65,536 ─────── 131,072 ─────── …
//!                      Snapshot       Snapshot            the replay, with its Shadow of WebGL2
//! jump back                   ◀──────────────── now      Shadow::same: textures that WebGL2 still has
//!                      ───▶ goal                         Shadow::commands: everything else
//! ```

use std::rc::Rc;

use crate::content::PAGE;
use crate::driver::Replay;

/// Calls between two snapshots.
const SPACING: u64 = 1 << 16;
/// Snapshots at most.
const MOST: usize = 256;
/// Calls that a jump within reach executes sooner than it returns to a snapshot.
const NEAR: u64 = 1 << 14;

struct Snapshot {
    /// The call that is executed next, and the number of the piece that begins with it.
    call: u64,
    piece: u32,
    /// Calls that were executed.
    calls: u64,
    bytes: u64,
    replay: Replay,
}

/// The snapshots of a player.
pub(crate) struct Snapshots {
    /// Ascending by call.
    all: Vec<Snapshot>,
    spacing: u64,
    /// The first call before which another one may be made.
    next: u64,
    /// Limit for the bytes that they take.
    most: u64,
    /// Returns so far, from 1 on: programs that were sent before the latest one are sent again.
    epoch: u64,
}

/// Where a replay goes on.
pub(crate) struct Resumed {
    pub(crate) call: u64,
    pub(crate) piece: u32,
    pub(crate) calls: u64,
    pub(crate) replay: Replay,
}

impl Snapshots {
    /// None yet. `bytes`: the limit for textures and buffers, of which they take a quarter.
    pub(crate) fn new(bytes: u64) -> Self {
        Self { all: Vec::new(), spacing: SPACING, next: SPACING, most: bytes / 4, epoch: 1 }
    }

    /// Sets how many calls lie between them from now on.
    pub(crate) fn set_spacing(&mut self, calls: u64) {
        (self.spacing, self.next) = (calls.max(1), 0);
    }

    /// The replay begins with another call.
    pub(crate) fn begin(&mut self, call: u64) {
        self.next = call + 1;
    }

    /// Whether a call is far enough from the snapshot before it.
    pub(crate) fn is_due(&self, call: u64) -> bool {
        call >= self.next
    }

    /// Makes a snapshot of a replay that has executed all calls before `call` and no other, unless
    /// there is one nearby.
    pub(crate) fn make(&mut self, replay: &mut Replay, call: u64, piece: u32, calls: u64) {
        let at = self.all.partition_point(|snapshot| snapshot.call < call);
        let before = at.checked_sub(1).and_then(|at| self.all.get(at));
        let after = self.all.get(at);
        let near = [before.map_or(0, |before| before.call), after.map_or(u64::MAX, |after| after.call)];
        if let Some(near) = near.into_iter().find(|near| near.abs_diff(call) < self.spacing) {
            self.next = near + self.spacing;
            return;
        }
        let copy = replay.copied();
        let bytes = copy.cost(before.map(|before| &before.replay));
        if bytes > self.most {
            return;
        }
        self.next = call + self.spacing;
        self.all.insert(at, Snapshot { call, piece, calls, bytes, replay: copy });
        while self.all.len() > MOST || self.held() + replay.stream.shadow.held() > self.most {
            // Every other one goes, and from now on there are half as many.
            let mut count = 0;
            self.all.retain(|_| {
                count += 1;
                count % 2 == 0
            });
            self.spacing *= 2;
            if self.all.is_empty() {
                break;
            }
        }
    }

    fn held(&self) -> u64 {
        self.all.iter().map(|snapshot| snapshot.bytes).sum()
    }

    /// The latest snapshot for a goal whose draws before `skip` are not needed, if it is after call
    /// `from`. `now` is the replay that WebGL2 has followed.
    pub(crate) fn resume(&mut self, goal: u64, skip: u64, from: u64, now: &Replay) -> Option<Resumed> {
        let end = self.all.partition_point(|snapshot| snapshot.call <= goal.min(skip));
        let serving = self.all.get(..end)?.iter().rev().take_while(|snapshot| snapshot.call > from);
        let lacking = now.stream.lacking();
        let (found, same) =
            serving.filter_map(|it| Some((it, it.replay.stream.shadow.same(&now.stream.shadow, &lacking)?))).next()?;
        let (call, piece, calls) = (found.call, found.piece, found.calls);
        let mut replay = found.replay.clone();
        self.epoch += 1;
        replay.resume(&same, self.epoch);
        self.begin(call);
        Some(Resumed { call, piece, calls, replay })
    }

    /// Forgets all, for good: the file cannot be read from the middle.
    pub(crate) fn give_up(&mut self) {
        self.all.clear();
        (self.next, self.spacing) = (u64::MAX, u64::MAX / 2);
    }

    /// The call after which a jump is worthwhile for a replay that is at `call` and could go on.
    pub(crate) fn worthwhile(call: u64) -> u64 {
        call.saturating_add(NEAR)
    }
}

impl Replay {
    /// Whether a snapshot before `call` would have executed what comes before it and nothing else.
    /// Textures that were kept of an earlier replay may hold what comes later.
    pub(crate) fn can_be_copied(&self, call: u64) -> bool {
        self.highest < call
            && self.halted.is_none()
            && self.stream.backlog.is_empty()
            && self.kept.values().all(|kept| kept.uploaded < call)
    }

    /// What a snapshot keeps. What was found out about frames and draws is not needed to draw.
    fn copied(&mut self) -> Self {
        let (plan, verdict) = (core::mem::take(&mut self.plan), core::mem::take(&mut self.verdict));
        let surfaces = core::mem::take(&mut self.surfaces);
        let stream = core::mem::take(&mut self.stream);
        let mut copy = self.clone();
        copy.stream.on = true;
        copy.stream.shadow = stream.shadow.clone();
        copy.stream.most_held = stream.most_held;
        copy.kept.clear();
        (self.plan, self.verdict, self.surfaces, self.stream) = (plan, verdict, surfaces, stream);
        copy
    }

    /// Begins with a copy: WebGL2 has nothing but the textures `same`, each with its binding, and
    /// programs.
    fn resume(&mut self, same: &[(u32, u32)], epoch: u64) {
        self.epoch = epoch;
        self.has_nothing();
        self.kept = self.kept_of(same);
        self.stream.backlog = self.stream.shadow.commands(same).into();
        self.stream.call = self.call as u32;
        for buffer in self.groups.values_mut().flat_map(|objects| objects.buffers.values_mut()) {
            (buffer.handle, buffer.index_handle, buffer.stale) = (0, 0, Default::default());
        }
    }

    /// Bytes that this takes beside what it shares with an earlier copy, about.
    fn cost(&self, earlier: Option<&Self>) -> u64 {
        let mut bytes = 1 << 14;
        for (group, objects) in &self.groups {
            let known = earlier.and_then(|earlier| earlier.groups.get(group));
            bytes += 400 * objects.textures.len() as u64 + 200 * objects.buffers.len() as u64;
            for (name, buffer) in &objects.buffers {
                let other = known.and_then(|known| known.buffers.get(name));
                let own = other.map_or(buffer.data.held(), |other| buffer.data.held_beside(&other.data));
                bytes += own as u64 + 8 * (buffer.data.len() / PAGE) as u64;
            }
            for (name, program) in &objects.programs {
                let other = known.and_then(|known| known.programs.get(name));
                bytes += if other.is_some_and(|other| Rc::ptr_eq(other, program)) { 16 } else { 1 << 13 };
            }
            bytes += 100 * (objects.shaders.len() + objects.lists.len() + objects.renderbuffers.len()) as u64;
        }
        for context in self.contexts.values() {
            bytes += (1 << 14) + 3000 * context.vertex_arrays.len() as u64 + 100 * context.framebuffers.len() as u64;
        }
        bytes + self.stream.shadow.cost() + 100 * self.blocks.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use unspool_gl::gl;

    use super::*;
    use crate::Bounds;
    use crate::ops::{Kind, Op};
    use unspool_gl::example::{Example, Value};

    /// A WebGL2 that knows what draws can see: objects by kind and number, as what was last said
    /// about each part of them.
    #[derive(Default)]
    struct Gpu {
        objects: BTreeMap<(u32, u32), BTreeMap<String, Vec<u8>>>,
        /// What is bound, and the state.
        current: BTreeMap<String, Vec<u32>>,
        slots: BTreeMap<u32, (u32, String)>,
        /// What each draw could see.
        draws: Vec<String>,
    }

    impl Gpu {
        fn say(&mut self, kind: Kind, number: u32, part: String, what: Vec<u8>) {
            self.objects.entry((kind as u32, number)).or_default().insert(part, what);
        }

        fn run(&mut self, stream: &mut crate::Stream) {
            let (words, bytes) = stream.take();
            let mut rest = &words[..];
            while let Some((head, after)) = rest.split_first() {
                let (words, others) = after.split_at((head >> 16) as usize);
                rest = others;
                self.execute(head & 0xFFFF, words, &bytes);
            }
        }

        fn execute(&mut self, op: u32, w: &[u32], bytes: &[u8]) {
            let is = |other: Op| op == other as u32;
            let blob = |at: usize| bytes[w[at] as usize..][..w[at + 1] as usize].to_vec();
            let text = |at: usize| String::from_utf8(blob(at)).unwrap();
            let all = || w.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
            let bound = |gpu: &Self, what: &str| gpu.current.get(what).map_or(0, |words| words[0]);
            if is(Op::TexImage) {
                self.say(Kind::Texture, w[0], format!("level {:?}", &w[2..8]), blob(10));
            } else if is(Op::TexParameter) {
                self.say(Kind::Texture, w[0], format!("parameter {}", w[2]), all());
            } else if is(Op::BufferData) {
                self.say(Kind::Buffer, w[0], "data".into(), blob(1));
            } else if is(Op::BufferStorage) {
                self.say(Kind::Buffer, w[0], "data".into(), vec![0; w[1] as usize]);
            } else if is(Op::BufferSubData) {
                let data = self.objects.get_mut(&(Kind::Buffer as u32, w[0])).unwrap().get_mut("data").unwrap();
                data[w[1] as usize..][..w[3] as usize].copy_from_slice(&blob(2));
            } else if is(Op::Program) {
                self.say(Kind::Program, w[0], "sources".into(), [blob(1), blob(3)].concat());
            } else if is(Op::UniformLocation) {
                self.slots.insert(w[0], (w[1], text(2)));
            } else if is(Op::Uniform) {
                let (program, name) = self.slots[&w[0]].clone();
                assert_eq!(program, bound(self, "program"));
                self.say(Kind::Program, program, name, w[1..].iter().flat_map(|word| word.to_le_bytes()).collect());
            } else if is(Op::FramebufferTexture) {
                let of = bound(self, "draw");
                self.say(Kind::Framebuffer, of, format!("at {}", w[0]), all());
            } else if is(Op::Delete) {
                self.objects.remove(&(w[0], w[1]));
            } else if is(Op::BindFramebuffer) {
                let which = if w[0] == gl::DRAW_FRAMEBUFFER { "draw" } else { "read" };
                self.current.insert(which.into(), vec![w[1]]);
            } else if is(Op::UseProgram) {
                self.current.insert("program".into(), w.to_vec());
            } else if is(Op::BindTexture) {
                self.current.insert(format!("unit {} {}", w[0], w[1]), vec![w[2]]);
            } else if is(Op::AttribPointer) {
                self.current.insert(format!("input {}", w[0]), w.to_vec());
            } else if is(Op::DrawArrays) {
                self.draw(w);
            }
        }

        /// Notes what a draw sees, by content: numbers of buffers and programs need not be the
        /// same.
        fn draw(&mut self, words: &[u32]) {
            let of = |kind: Kind, number: u32| self.objects.get(&(kind as u32, number));
            let mut seen = format!("{words:?}");
            for (name, bound) in &self.current {
                let object = match name.split(' ').next() {
                    Some("draw") => format!("{:?}", of(Kind::Framebuffer, bound[0])),
                    Some("program") => format!("{:?}", of(Kind::Program, bound[0])),
                    Some("unit") => format!("{:?}", of(Kind::Texture, bound[0])),
                    Some("input") => format!("{:?} {:?}", &bound[2..], of(Kind::Buffer, bound[1])),
                    _ => continue,
                };
                seen.push_str(&format!("\n{name}: {object}"));
            }
            self.draws.push(seen);
        }
    }

    /// Twenty frames of a draw each: a texture that is made again now and then, one that could be
    /// drawn to, a program, a buffer that changes.
    fn calls() -> Vec<Example> {
        let ints = |args: &[u32]| args.iter().map(|n| Value::Int((*n).into())).collect::<Vec<_>>();
        let mut all: Vec<Example> = Vec::new();
        let mut add = |name: &str, args: Vec<Value>, ret: i64| {
            all.push(Example {
                number: all.len() as u64,
                name: name.into(),
                args,
                result: Value::Int(ret),
                ..Example::default()
            });
        };
        let image = |shade: u8| {
            let mut args = ints(&[gl::TEXTURE_2D, 0, gl::RGBA8, 1, 1, 0, gl::RGBA, gl::UNSIGNED_BYTE]);
            args.push(Value::Bytes(vec![shade; 4]));
            args
        };
        add("glXMakeCurrent", ints(&[1, 2, 3]), 1);
        add("glViewport", ints(&[0, 0, 8, 8]), 0);
        for (shader, kind, source) in [
            (1u32, gl::VERTEX_SHADER, "attribute vec4 p; void main() { gl_Position = p; }"),
            (
                2,
                gl::FRAGMENT_SHADER,
                "uniform float a; uniform sampler2D t; void main() { gl_FragColor = a * texture2D(t, vec2(0.0)); }",
            ),
        ] {
            add("glCreateShader", ints(&[kind]), shader.into());
            add("glShaderSource", vec![Value::Int(shader.into()), Value::Int(1), Value::Text(source.into())], 0);
            add("glCompileShader", ints(&[shader]), 0);
        }
        add("glCreateProgram", Vec::new(), 3);
        add("glAttachShader", ints(&[3, 1]), 0);
        add("glAttachShader", ints(&[3, 2]), 0);
        add("glLinkProgram", ints(&[3]), 0);
        add("glUseProgram", ints(&[3]), 0);
        add("glGetUniformLocation", vec![Value::Int(3), Value::Text("a".into())], 0);
        add("glBindTexture", ints(&[gl::TEXTURE_2D, 1]), 0);
        add("glTexImage2D", image(1), 0);
        add("glBindTexture", ints(&[gl::TEXTURE_2D, 2]), 0);
        add("glTexImage2D", image(2), 0);
        add("glBindFramebuffer", ints(&[gl::FRAMEBUFFER, 1]), 0);
        add("glFramebufferTexture2D", ints(&[gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, gl::TEXTURE_2D, 2, 0]), 0);
        add("glBindFramebuffer", ints(&[gl::FRAMEBUFFER, 0]), 0);
        add("glBindBuffer", ints(&[gl::ARRAY_BUFFER, 1]), 0);
        add(
            "glBufferData",
            vec![Value::Int(gl::ARRAY_BUFFER.into()), Value::Int(48), Value::Null, Value::Int(gl::STATIC_DRAW.into())],
            0,
        );
        add("glVertexAttribPointer", ints(&[0, 4, gl::FLOAT, 0, 16, 0]), 0);
        add("glEnableVertexAttribArray", ints(&[0]), 0);
        for frame in 0..20u8 {
            add("glUniform1f", vec![Value::Int(0), Value::Float(frame.into())], 0);
            add(
                "glBufferSubData",
                vec![Value::Int(gl::ARRAY_BUFFER.into()), Value::Int(16), Value::Int(4), Value::Bytes(vec![frame; 4])],
                0,
            );
            add("glBindTexture", ints(&[gl::TEXTURE_2D, 1]), 0);
            if frame % 5 == 3 {
                add("glDeleteTextures", vec![Value::Int(1), Value::List(vec![Value::Int(1)])], 0);
                add("glBindTexture", ints(&[gl::TEXTURE_2D, 1]), 0);
                add("glTexImage2D", image(frame), 0);
            }
            add(
                "glTexParameteri",
                ints(&[gl::TEXTURE_2D, gl::TEXTURE_MIN_FILTER, gl::NEAREST + u32::from(frame % 2)]),
                0,
            );
            add("glDrawArrays", ints(&[gl::TRIANGLES, 0, 3]), 0);
            add("glXSwapBuffers", ints(&[1, 2]), 0);
        }
        all
    }

    /// Executes calls, with a snapshot before every eighth.
    fn play(replay: &mut Replay, gpu: &mut Gpu, snapshots: &mut Snapshots, calls: &[Example]) {
        for call in calls {
            if call.number.is_multiple_of(8) && replay.can_be_copied(call.number) {
                snapshots.make(replay, call.number, 0, call.number);
            }
            replay.execute_example(call);
            gpu.run(&mut replay.stream);
        }
    }

    fn snapshots() -> Snapshots {
        let mut snapshots = Snapshots::new(1 << 30);
        snapshots.set_spacing(8);
        snapshots
    }

    #[test]
    fn a_draw_sees_the_same_after_a_jump_as_when_everything_is_replayed() {
        let calls = calls();
        let (mut whole, mut gpu) = (Replay::new(Bounds::default(), true), Gpu::default());
        play(&mut whole, &mut gpu, &mut snapshots(), &calls);
        let wanted = gpu.draws;
        assert_eq!(wanted.len(), 20);
        assert!(
            wanted
                .iter()
                .all(|draw| draw.contains("input 0") && draw.contains("unit 0 3553") && draw.contains("sources"))
        );
        let draws: Vec<u64> = calls.iter().filter(|call| call.name == "glDrawArrays").map(|call| call.number).collect();

        let (mut replay, mut gpu, mut snapshots) = (Replay::new(Bounds::default(), true), Gpu::default(), snapshots());
        play(&mut replay, &mut gpu, &mut snapshots, &calls);
        let mut stayed = 0;
        for frame in [10, 9, 19, 3, 4, 18, 5, 12, 11] {
            let goal = draws[frame];
            let begin = goal - 3;
            let resumed = snapshots.resume(goal, begin, 0, &replay).unwrap();
            assert!((begin - 8..=begin).contains(&resumed.call), "frame {frame} from call {}", resumed.call);
            replay = resumed.replay;
            (replay.skip_before, replay.skip_surfaces) = (begin, begin);
            // As `web/features/pictures/gl/gl.ts` resets: only the content of some textures stays.
            let kept = |key: &(u32, u32)| key.0 == Kind::Texture as u32 && replay.kept.contains_key(&key.1);
            gpu.objects.retain(|key, parts| {
                parts.retain(|part, _| part.starts_with("level"));
                kept(key)
            });
            (gpu.current, gpu.slots) = (BTreeMap::new(), BTreeMap::new());
            stayed += gpu.objects.len();
            while !replay.stream.catch_up() {
                gpu.run(&mut replay.stream);
            }
            gpu.draws.clear();
            play(&mut replay, &mut gpu, &mut snapshots, &calls[resumed.call as usize..=goal as usize]);
            assert_eq!(gpu.draws, [wanted[frame].as_str()], "frame {frame}");
        }
        // The one that could be drawn to never does.
        assert!((1..9).contains(&stayed), "{stayed}");
    }

    #[test]
    fn what_cannot_be_made_again_is_not_returned_to() {
        let calls = calls();
        let mut replay = Replay::new(Bounds::default(), true);
        // Only the first upload is kept. The second texture could be drawn to, so that it does not
        // stay either.
        replay.stream.most_held = 7;
        let mut snapshots = snapshots();
        play(&mut replay, &mut Gpu::default(), &mut snapshots, &calls);
        let second = calls.iter().filter(|call| call.name == "glTexImage2D").nth(1).unwrap().number;
        let resumed = snapshots.resume(calls.len() as u64, calls.len() as u64, 0, &replay).unwrap();
        assert!((1..=second).contains(&resumed.call), "{}", resumed.call);
    }

    #[test]
    fn snapshots_become_rarer_where_they_are_many_or_large() {
        let mut replay = Replay::new(Bounds::default(), true);
        let mut snapshots = Snapshots::new(1 << 30);
        for call in (0..MOST as u64 * 4).map(|i| i * SPACING) {
            if snapshots.is_due(call) {
                snapshots.make(&mut replay, call, 0, call);
            }
        }
        assert!((MOST / 2..=MOST).contains(&snapshots.all.len()), "{}", snapshots.all.len());
        assert!(snapshots.spacing >= 4 * SPACING);
        // A buffer that is larger than all of them may be.
        let mut small = Snapshots::new(1 << 20);
        let ints = |args: &[u32]| args.iter().map(|n| Value::Int((*n).into())).collect::<Vec<_>>();
        let content = Value::Bytes(vec![7; 1 << 19]);
        for (number, name, args) in [
            (0, "glXMakeCurrent", ints(&[1, 2, 3])),
            (1, "glBindBuffer", ints(&[gl::ARRAY_BUFFER, 1])),
            (
                2,
                "glBufferData",
                vec![
                    Value::Int(gl::ARRAY_BUFFER.into()),
                    Value::Int(1 << 19),
                    content,
                    Value::Int(gl::STATIC_DRAW.into()),
                ],
            ),
        ] {
            replay.execute_example(&Example { number, name: name.into(), args, ..Example::default() });
        }
        small.make(&mut replay, SPACING, 0, 3);
        assert!(small.all.is_empty());
    }
}
