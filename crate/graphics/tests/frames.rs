//! The figures of frames agree with what `apitrace dump` prints, and redundant calls are those that
//! change nothing.

#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test that panics has done its work"
)]

use crate::common;
use std::collections::HashMap;

use crate::common::{corpus, reader};
use unspool_formats::apitrace::encode::{FunctionSig, Value as Arg, Writer, snappy};
use unspool_formats::apitrace::{self, ApitraceRecords, NameFlags};
use unspool_gl::{functions, gl};
use unspool_graphics::Survey;
use unspool_graphics::frames::{Counting, FIGURES, Frame, OpenedRow};
use unspool_graphics::times::TimesReader;
use unspool_trace::{Locator, Records, Value};

fn frames_of(file: Vec<u8>) -> Vec<Frame> {
    let mut reader = reader(file);
    let mut frames = Counting::default();
    // In two parts, as the page does it.
    let half = reader.pieces() / 2;
    reader.pass(0..half, &mut frames).unwrap();
    reader.pass(half..u32::MAX, &mut frames).unwrap();
    frames.frames().frames().to_vec()
}

fn figure(frame: &Frame, key: &str) -> u64 {
    frame.figures[FIGURES.iter().position(|figure| figure.key == key).unwrap()]
}

/// What a dump says of a frame.
#[derive(Debug, Default, PartialEq)]
struct Counted {
    calls: u64,
    draws: u64,
    clears: u64,
    vertices: u64,
    errors: u64,
    textures: u64,
    buffers: u64,
}

/// The numbers after `key` in a line, such as those of `blob(12)`.
fn numbers<'a>(line: &'a str, key: &'a str) -> impl Iterator<Item = u64> + 'a {
    line.match_indices(key).filter_map(move |(at, _)| {
        let rest = &line[at + key.len()..];
        rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse().ok()
    })
}

/// Counts in the text of `apitrace dump -v`. Of draws, the traces here have arrays, elements,
/// `glBegin` and display lists.
fn count(dump: &str) -> Vec<Counted> {
    let mut frames = vec![Counted::default()];
    let mut begun = 0;
    // The list that is being compiled, its vertices, and whether it draws.
    let mut list: Option<(u64, u64, bool)> = None;
    let mut lists: HashMap<u64, (u64, bool)> = HashMap::new();
    for line in dump.lines() {
        let mut words = line.splitn(3, ' ');
        let Some(Ok(_)) = words.next().map(str::parse::<u64>) else { continue };
        let rest = match words.next() {
            Some(thread) if thread.starts_with('@') => words.next().unwrap_or_default(),
            Some(_) => &line[line.find(' ').unwrap() + 1..],
            None => continue,
        };
        let Some((name, arguments)) = rest.split_once('(') else { continue };
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            continue;
        }
        let frame = frames.last_mut().unwrap();
        frame.calls += 1;
        let blobs = || numbers(arguments, "blob(").sum::<u64>();
        let (mut vertices, mut is_draw) = (0, NameFlags::of(name).renders.is_some() && name != "glClear");
        match name {
            "glClear" => frame.clears += u64::from(list.is_none()),
            "glBegin" => begun = 0,
            "glVertex3f" | "glVertex2f" => begun += 1,
            "glNewList" => list = Some((numbers(arguments, "list = ").next().unwrap(), 0, false)),
            "glEndList" => lists.extend(list.take().map(|(number, vertices, is)| (number, (vertices, is)))),
            "glCallList" => (vertices, is_draw) = lists[&numbers(arguments, "list = ").next().unwrap()],
            "glEnd" => vertices = begun,
            "glRecti" => vertices = 4,
            "glGetError" => frame.errors += u64::from(!arguments.ends_with("= GL_NO_ERROR")),
            "memcpy" | "glBufferData" | "glBufferSubData" => frame.buffers += blobs(),
            _ if name.starts_with("glTexImage") || name.starts_with("glTexSubImage") => frame.textures += blobs(),
            _ if name.starts_with("glDraw") => vertices = numbers(arguments, " count = ").sum(),
            _ => {}
        }
        match &mut list {
            Some((_, sum, draws)) => (*sum, *draws) = (*sum + vertices, *draws | is_draw),
            None => (frame.vertices, frame.draws) = (frame.vertices + vertices, frame.draws + u64::from(is_draw)),
        }
        if NameFlags::of(name).frame_end {
            frames.push(Counted::default());
        }
    }
    frames.pop_if(|last| last.calls == 0);
    frames
}

#[test]
fn figures_agree_with_the_reference_dump() {
    let traces = [
        ("recorded/glmix_3f.trace", "recorded/glmix_3f.dump-v-threads.txt", 4),
        ("recorded/glxgears_3s.trace", "recorded/glxgears_3s.dump-v-threads.txt", 300),
        ("modern/gtk4_widgets.trace", "modern/gtk4_widgets.dump-v.txt", 20),
        ("fetched/tri_glsl.trace", "fetched/tri_glsl.dump-v-threads.txt", 1),
    ];
    for (trace, dump, least) in traces {
        let (Some(trace_bytes), Some(dump)) = (corpus(trace), corpus(dump)) else { return };
        let counted = count(&String::from_utf8_lossy(&dump));
        let ours: Vec<Counted> = frames_of(trace_bytes)
            .iter()
            .map(|frame| Counted {
                calls: figure(frame, "calls"),
                draws: figure(frame, "draws"),
                clears: figure(frame, "clears"),
                vertices: figure(frame, "vertices"),
                errors: figure(frame, "errors"),
                textures: figure(frame, "textureBytes"),
                buffers: figure(frame, "bufferBytes"),
            })
            .collect();
        assert!(ours.len() >= least, "{trace}: {} frames", ours.len());
        for (number, (ours, counted)) in ours.iter().zip(&counted).enumerate() {
            assert_eq!(ours, counted, "{trace}, frame {number}");
        }
        assert_eq!(ours.len(), counted.len(), "{trace}");
    }
}

/// Writes calls by name; the parameters are those of gl.xml.
struct Calls {
    writer: Writer,
    ids: HashMap<String, u64>,
}

impl Calls {
    fn new() -> Self {
        Self { writer: Writer::new(&[]), ids: HashMap::new() }
    }

    fn call(&mut self, name: &str, arguments: &[u32]) -> &mut Self {
        self.with(name, arguments.iter().map(|number| Arg::Int((*number).into())).collect())
    }

    fn with(&mut self, name: &str, arguments: Vec<Arg<'_>>) -> &mut Self {
        let next = self.ids.len() as u64;
        let id = *self.ids.entry(name.into()).or_insert(next);
        let parameters: Vec<&str> =
            functions().find(name).map_or(vec!["a", "b", "c"], |it| it.parameters().map(|it| it.name).collect());
        self.writer.call(0, &FunctionSig { id, name, args: &parameters }, arguments, None);
        self
    }

    fn frame(&self) -> Frame {
        frames_of(snappy(self.writer.stream(), 1 << 20)).remove(0)
    }

    /// State changes, and how many of them are redundant.
    fn state(&self) -> (u64, u64) {
        let frame = self.frame();
        (figure(&frame, "stateChanges"), figure(&frame, "redundant"))
    }
}

#[test]
fn a_call_is_redundant_if_it_sets_what_was_set() {
    let mut calls = Calls::new();
    calls
        .call("glEnable", &[gl::BLEND])
        .call("glEnable", &[gl::BLEND])
        .call("glDisable", &[gl::BLEND])
        .call("glEnable", &[gl::BLEND]);
    assert_eq!(calls.state(), (4, 1));
    // Another unit has another binding, and the switch back finds the first one again.
    let mut calls = Calls::new();
    for unit in [0, 1, 0] {
        calls.call("glActiveTexture", &[gl::TEXTURE0 + unit]).call("glBindTexture", &[gl::TEXTURE_2D, 7]);
    }
    assert_eq!(calls.state(), (6, 1));
    // A capability that belongs to no unit stays the same when the unit changes.
    let mut calls = Calls::new();
    calls.call("glActiveTexture", &[gl::TEXTURE0]).call("glEnable", &[gl::BLEND]);
    calls.call("glActiveTexture", &[gl::TEXTURE1]).call("glDisable", &[gl::BLEND]);
    calls.call("glActiveTexture", &[gl::TEXTURE0]).call("glEnable", &[gl::BLEND]);
    assert_eq!(calls.state(), (6, 0));
}

#[test]
fn what_may_have_changed_in_between_is_not_redundant() {
    let between: [(&str, &[u32]); 3] = [("glPopAttrib", &[]), ("glCallList", &[1]), ("glDeleteTextures", &[1, 7])];
    for (name, arguments) in between {
        let mut calls = Calls::new();
        calls
            .call("glBindTexture", &[gl::TEXTURE_2D, 7])
            .call(name, arguments)
            .call("glBindTexture", &[gl::TEXTURE_2D, 7]);
        assert_eq!(calls.state().1, 0, "{name}");
    }
    // A framebuffer is bound for reading and drawing at once.
    let mut calls = Calls::new();
    for (target, framebuffer) in [(gl::FRAMEBUFFER, 1), (gl::DRAW_FRAMEBUFFER, 2), (gl::FRAMEBUFFER, 1)] {
        calls.call("glBindFramebuffer", &[target, framebuffer]);
    }
    assert_eq!(calls.state(), (3, 0));
    // Uniforms belong to programs. A switch to the program in use is not a switch.
    let mut calls = Calls::new();
    for program in [1, 2, 1, 1] {
        calls.call("glUseProgram", &[program]).call("glUniform1i", &[0, 5]);
    }
    assert_eq!(calls.state(), (8, 3));
    assert_eq!(figure(&calls.frame(), "programSwitches"), 3);
    // A list that is compiled sets nothing.
    let mut calls = Calls::new();
    calls.call("glEnable", &[gl::BLEND]).call("glNewList", &[1, gl::COMPILE]).call("glDisable", &[gl::BLEND]);
    calls.call("glEndList", &[]).call("glEnable", &[gl::BLEND]);
    assert_eq!(calls.state(), (3, 1));
}

#[test]
fn calls_are_judged_by_all_that_they_set() {
    // What others have set by the object's name is set.
    let mut calls = Calls::new();
    calls.call("glBindTexture", &[gl::TEXTURE_2D, 7]);
    calls.with("glBindTextures", vec![Arg::Int(0), Arg::Int(1), Arg::Array(vec![Arg::Int(7)])]);
    calls.call("glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_MAG_FILTER, gl::NEAREST]);
    calls.call("glTextureParameteri", &[7, gl::TEXTURE_MAG_FILTER, gl::NEAREST]);
    calls.call("glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_MAG_FILTER, gl::NEAREST]);
    calls.call("glTextureParameteri", &[7, gl::TEXTURE_MAG_FILTER, gl::LINEAR]);
    calls.call("glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_MAG_FILTER, gl::NEAREST]);
    assert_eq!(calls.state(), (7, 1));
    // An attribute is enabled whatever buffer is bound; a pointer takes from that.
    let mut calls = Calls::new();
    for (buffer, expected) in [(1, 0), (2, 1), (2, 4)] {
        calls.call("glBindBuffer", &[gl::ARRAY_BUFFER, buffer]).call("glEnableVertexAttribArray", &[0]);
        calls.call("glVertexAttribPointer", &[0, 4, gl::FLOAT, 0, 0, 0]);
        assert_eq!(calls.state().1, expected, "buffer {buffer}");
    }
    // Images of one texture differ by level and format.
    let mut calls = Calls::new();
    for (level, format) in [(0, gl::RGBA8), (1, gl::RGBA8), (1, gl::RGBA8), (1, gl::R32UI)] {
        calls.call("glBindImageTexture", &[0, 7, level, 0, 0, gl::READ_ONLY, format]);
    }
    assert_eq!(calls.state(), (4, 1));
    // Elements of an array of uniforms have a location each.
    let mut calls = Calls::new();
    let four = || Arg::Array(vec![Arg::Float(1.0), Arg::Float(2.0)]);
    calls.call("glUseProgram", &[1]).call("glUniform1i", &[3, 5]).call("glUniform1i", &[3, 5]);
    calls.with("glUniform1fv", vec![Arg::Int(2), Arg::Int(2), four()]).call("glUniform1i", &[3, 5]);
    calls.with("glUniform1fv", vec![Arg::Int(2), Arg::Int(2), four()]);
    assert_eq!(calls.state(), (6, 1));
}

#[test]
fn what_a_call_sets_beside_its_own_is_known() {
    // A pointer takes the format's offset and the binding's place with it.
    let mut calls = Calls::new();
    calls.call("glVertexAttribFormat", &[0, 3, gl::FLOAT, 0, 12]);
    calls.call("glVertexAttribPointer", &[0, 3, gl::FLOAT, 0, 0, 0]);
    calls.call("glVertexAttribFormat", &[0, 3, gl::FLOAT, 0, 12]);
    assert_eq!(calls.state(), (3, 0));
    // The scale of alpha is one of pixels and one of each texture unit.
    let mut calls = Calls::new();
    calls.call("glTexEnvf", &[gl::TEXTURE_ENV, gl::ALPHA_SCALE, 2]).call("glPixelTransferf", &[gl::ALPHA_SCALE, 2]);
    assert_eq!(calls.state(), (2, 0));
    // Rectangles differ by all of their numbers, swizzles by each channel.
    let mut calls = Calls::new();
    for size in [64, 32] {
        let sides = [0, 0, size, size].map(Arg::Int).to_vec();
        let head = [gl::TEXTURE_2D, 0x8b9d].map(|number| Arg::Int(number.into()));
        calls.with("glTexParameteriv", head.into_iter().chain([Arg::Array(sides)]).collect());
    }
    let swizzle = |calls: &mut Calls| {
        calls.call("glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_SWIZZLE_R, gl::RED]);
    };
    swizzle(&mut calls);
    let all = [gl::ONE, gl::RED, gl::RED, gl::RED].map(|number| Arg::Int(number.into())).to_vec();
    let head = [gl::TEXTURE_2D, gl::TEXTURE_SWIZZLE_RGBA].map(|number| Arg::Int(number.into()));
    calls.with("glTexParameteriv", head.into_iter().chain([Arg::Array(all)]).collect());
    swizzle(&mut calls);
    assert_eq!(calls.state(), (5, 0));
    // A list of before the trace may have taken another program into use.
    let mut calls = Calls::new();
    calls.call("glUseProgram", &[1]).call("glCallList", &[9]).call("glActiveTexture", &[gl::TEXTURE1]);
    calls.call("glUniform1i", &[3, 1]).call("glUseProgram", &[1]).call("glUniform1i", &[3, 1]);
    assert_eq!(calls.state(), (5, 0));
}

#[test]
fn what_an_error_or_another_context_may_have_changed_is_not_redundant() {
    let result = |calls: &mut Calls, name: &str, arguments: &[u32], result: i64| {
        let next = calls.ids.len() as u64;
        let id = *calls.ids.entry(name.into()).or_insert(next);
        let arguments = arguments.iter().map(|number| Arg::Int((*number).into())).collect();
        calls.writer.call(0, &FunctionSig { id, name, args: &["a", "b", "c"] }, arguments, Some(Arg::Int(result)));
    };
    for (error, redundant) in [(gl::NO_ERROR, 1), (gl::INVALID_ENUM, 0)] {
        let mut calls = Calls::new();
        calls.call("glDepthFunc", &[gl::LESS]);
        result(&mut calls, "glGetError", &[], error.into());
        calls.call("glDepthFunc", &[gl::LESS]);
        assert_eq!(calls.state(), (2, redundant));
    }
    let mut calls = Calls::new();
    for handle in [1, 2] {
        result(&mut calls, "eglCreateContext", &[9, 0, 0], handle);
    }
    for (handle, expected) in [(1, 0), (1, 1), (2, 1), (1, 1), (1, 2)] {
        result(&mut calls, "eglMakeCurrent", &[9, 0, 0, handle], 1);
        calls.call("glBindTexture", &[gl::TEXTURE_2D, 7]);
        assert_eq!(calls.state().1, expected, "context {handle}");
    }
}

#[test]
fn vertices_are_counted_by_instances_and_lists() {
    let mut calls = Calls::new();
    calls.call("glDrawArraysInstanced", &[gl::TRIANGLES, 0, 6, 10]);
    calls.with(
        "glMultiDrawArrays",
        vec![
            Arg::Int(4),
            Arg::Array(vec![Arg::Int(0), Arg::Int(3)]),
            Arg::Array(vec![Arg::Int(3), Arg::Int(6)]),
            Arg::Int(2),
        ],
    );
    calls.call("glDrawArraysIndirect", &[gl::TRIANGLES, 0]);
    calls.call("glNewList", &[5, gl::COMPILE]).call("glDrawArrays", &[gl::TRIANGLES, 0, 100]).call("glEndList", &[]);
    calls.call("glListBase", &[3]);
    calls.with("glCallLists", vec![Arg::Int(2), Arg::Int(gl::UNSIGNED_BYTE.into()), Arg::Blob(&[2, 2])]);
    let frame = calls.frame();
    assert_eq!((figure(&frame, "draws"), figure(&frame, "uncounted")), (4, 1));
    assert_eq!(figure(&frame, "vertices"), 60 + 9 + 200);
}

#[test]
fn attributes_that_are_taken_back_decide_what_later_calls_mean() {
    let bits = (0..20).map(|bit| 1 << bit).filter(|bit| gl::ALL_ATTRIB_BITS & bit != 0);
    for bit in bits.chain([gl::ALL_ATTRIB_BITS, 0]) {
        // The names of a text are relative to a base of its own.
        let mut calls = Calls::new();
        for (list, vertices) in [(5, 100), (9, 7)] {
            calls.call("glNewList", &[list, gl::COMPILE]).call("glDrawArrays", &[gl::TRIANGLES, 0, vertices]);
            calls.call("glEndList", &[]);
        }
        let text = || vec![Arg::Int(1), Arg::Int(gl::UNSIGNED_BYTE.into()), Arg::Blob(&[2])];
        calls.call("glListBase", &[3]).call("glPushAttrib", &[bit]).call("glListBase", &[7]);
        calls.with("glCallLists", text()).call("glPopAttrib", &[]).with("glCallLists", text());
        let vertices = if bit & gl::LIST_BIT != 0 { 7 + 100 } else { 7 + 7 };
        assert_eq!(figure(&calls.frame(), "vertices"), vertices, "bit {bit:#x}");
        // Of which unit the texture is.
        let mut calls = Calls::new();
        calls.call("glActiveTexture", &[gl::TEXTURE0]).call("glPushAttrib", &[bit]);
        calls.call("glActiveTexture", &[gl::TEXTURE1]).call("glPopAttrib", &[]);
        calls.call("glBindTexture", &[gl::TEXTURE_2D, 7]).call("glActiveTexture", &[gl::TEXTURE1]);
        calls.call("glBindTexture", &[gl::TEXTURE_2D, 7]);
        // The push is a change of state, too.
        assert_eq!(calls.state(), (6, u64::from(bit & gl::TEXTURE_BIT == 0)), "bit {bit:#x}");
    }
    // Which unit a list activates is not known.
    let mut calls = Calls::new();
    calls.call("glActiveTexture", &[gl::TEXTURE0]).call("glCallList", &[1]);
    calls.call("glBindTexture", &[gl::TEXTURE_2D, 7]).call("glActiveTexture", &[gl::TEXTURE0]);
    calls.call("glBindTexture", &[gl::TEXTURE_2D, 7]);
    assert_eq!(calls.state(), (4, 0));
}

#[test]
fn what_is_only_compiled_is_no_draw() {
    let mut calls = Calls::new();
    for list in 1..=3 {
        calls.call("glNewList", &[list, gl::COMPILE]);
        match list {
            1 => calls
                .call("glBegin", &[gl::TRIANGLES])
                .call("glVertex2i", &[0, 0])
                .call("glEnd", &[])
                .call("glClear", &[gl::COLOR_BUFFER_BIT]),
            2 => calls.call("glRotatef", &[1, 0, 0, 1]),
            _ => calls.call("glClear", &[gl::COLOR_BUFFER_BIT]),
        };
        calls.call("glEndList", &[]);
    }
    let frame = calls.frame();
    assert_eq!((figure(&frame, "draws"), figure(&frame, "clears"), figure(&frame, "vertices")), (0, 0, 0));
    // A list that draws, twice; one that only sets state; one that clears; one that there never
    // was.
    for list in [1, 1, 2, 3, 9] {
        calls.call("glCallList", &[list]);
    }
    // Executed while it is compiled.
    calls.call("glNewList", &[4, gl::COMPILE_AND_EXECUTE]).call("glRecti", &[0, 0, 1, 1]).call("glEndList", &[]);
    let frame = calls.frame();
    assert_eq!((figure(&frame, "draws"), figure(&frame, "clears"), figure(&frame, "vertices")), (3, 1, 6));
    // Groups count the same.
    calls.call("glUseProgram", &[7]).call("glCallList", &[1]).call("glUseProgram", &[0]).call("glCallList", &[2]);
    let groups: Vec<String> = opened(&calls).1.into_iter().filter(|row| row.contains('[')).collect();
    assert_eq!(groups, ["20 Program 7 [2, 1, 0, 0]", "22 No program [2, 0, 0, 0]"]);
}

/// The rows of the first frame, indented by depth, with the figures of groups.
fn opened(calls: &Calls) -> (&'static str, Vec<String>) {
    let file = snappy(calls.writer.stream(), 1 << 20);
    let mut survey = Survey::open(&common::index_of(&file), file).unwrap();
    while !survey.step(1).unwrap() {}
    let opened = survey.open_frame(0).unwrap();
    let line = |row: &OpenedRow| {
        let figures = if row.is_group { format!(" {:?}", row.figures) } else { String::new() };
        format!("{}{} {}{figures}", "  ".repeat(row.depth as usize), row.call, row.text)
    };
    (opened.by, opened.rows.iter().map(line).collect())
}

#[test]
fn a_frame_opens_into_groups_of_calls() {
    // Markers of the program nest.
    let mut calls = Calls::new();
    let push = |calls: &mut Calls, text: &str| {
        calls.with(
            "glPushDebugGroup",
            vec![Arg::Int(gl::DEBUG_SOURCE_APPLICATION.into()), Arg::Int(0), Arg::Int(-1), Arg::Text(text.as_bytes())],
        );
    };
    push(&mut calls, "shadows");
    calls.call("glDrawArrays", &[gl::TRIANGLES, 0, 3]);
    push(&mut calls, "trees");
    calls.with("glBufferData", vec![Arg::Int(gl::ARRAY_BUFFER.into()), Arg::Int(2), Arg::Blob(&[1, 2]), Arg::Null]);
    calls.call("glPopDebugGroup", &[]).call("glPopDebugGroup", &[]).call("glClear", &[gl::COLOR_BUFFER_BIT]);
    assert_eq!(
        opened(&calls),
        (
            "groups",
            vec![
                "0 shadows [6, 1, 0, 2]".into(),
                "  0 glPushDebugGroup(source = 33354, id = 0, length = -1, message = \"shadows\")".into(),
                "  1 glDrawArrays(mode = 4, first = 0, count = 3)".into(),
                "  2 trees [3, 0, 0, 2]".into(),
                "    2 glPushDebugGroup(source = 33354, id = 0, length = -1, message = \"trees\")".into(),
                "    3 glBufferData(target = 34962, size = 2, data = blob(2), usage = NULL)".into(),
                "    4 glPopDebugGroup()".into(),
                "  5 glPopDebugGroup()".into(),
                "6 glClear(mask = 16384)".into(),
            ]
        )
    );
    // Without them, framebuffers are passes; with one framebuffer, programs are groups.
    let mut calls = Calls::new();
    for framebuffer in [1, 0] {
        calls
            .call("glBindFramebuffer", &[gl::FRAMEBUFFER, framebuffer])
            .call("glUseProgram", &[7])
            .call("glClear", &[gl::COLOR_BUFFER_BIT]);
    }
    let groups = |calls: &Calls| {
        let (by, rows) = opened(calls);
        (by, rows.into_iter().filter(|row| row.contains('[')).collect::<Vec<_>>())
    };
    let both = vec!["0 Framebuffer 1 [3, 0, 1, 0]".to_owned(), "3 Window [3, 0, 1, 0]".to_owned()];
    assert_eq!(groups(&calls), ("passes", both));
    let mut calls = Calls::new();
    calls.call("glUseProgram", &[7]).call("glUseProgram", &[0]);
    let both = vec!["0 Program 7 [1, 0, 0, 0]".to_owned(), "1 No program [1, 0, 0, 0]".to_owned()];
    assert_eq!(groups(&calls), ("programs", both));
}

/// The bytes that the timeline says a frame uploads.
fn uploaded_on_the_timeline(records: &ApitraceRecords, frame: usize) -> u64 {
    let details = records.details(Locator::from_bits(1 << 63 | frame as u64), &[]).unwrap();
    let field = details.fields.into_iter().find(|field| field.name == "Uploaded bytes").unwrap();
    let Value::U64(bytes) = field.value else { panic!("not a number: {:?}", field.value) };
    bytes
}

#[test]
fn a_frame_uploads_as_much_in_its_details_as_in_the_survey() {
    let mut files: Vec<Vec<u8>> =
        ["apitrace/scene.trace", "graphics/uploads.trace", "graphics/draws.trace", "apitrace/direct3d11.trace"]
            .map(common::fixture)
            .into();
    files.extend(unspool_corpus::files("apitrace", 4 << 20).iter().map(|path| std::fs::read(path).unwrap()));
    let mut sum = 0;
    for file in files {
        // Some are damaged on purpose.
        let Some(index) = unspool_records::memory::index_of(&apitrace::ROW.format, &file) else { continue };
        let records = ApitraceRecords::open(&index).unwrap();
        for (number, frame) in frames_of(file).iter().enumerate() {
            let uploaded = figure(frame, "uploaded");
            assert_eq!(uploaded_on_the_timeline(&records, number), uploaded, "frame {number}");
            let kinds = ["textureBytes", "bufferBytes", "clientBytes", "shaderBytes", "pixelBytes"];
            assert!(kinds.iter().map(|kind| figure(frame, kind)).sum::<u64>() <= uploaded);
            sum += uploaded;
        }
    }
    assert!(sum > 0);
}

#[test]
fn a_frame_knows_its_redundant_calls_and_those_that_draw() {
    let mut calls = Calls::new();
    calls.call("glEnable", &[gl::BLEND]).call("glXSwapBuffers", &[]);
    // It repeats what the frame before it has set.
    calls
        .call("glEnable", &[gl::BLEND])
        .call("glDrawArrays", &[gl::TRIANGLES, 0, 3])
        .call("glClear", &[gl::COLOR_BUFFER_BIT])
        .call("glDisable", &[gl::BLEND]);
    let file = snappy(calls.writer.stream(), 1 << 20);
    let mut survey = Survey::open(&common::index_of(&file), file).unwrap();
    while !survey.step(1).unwrap() {}
    let rows = survey.open_frame(1).unwrap().rows;
    let of = |row: &OpenedRow| (row.call, row.is_redundant, row.figures[1], row.figures[2]);
    assert_eq!(
        rows.iter().map(of).collect::<Vec<_>>(),
        [(2, true, 0, 0), (3, false, 1, 0), (4, false, 0, 1), (5, false, 0, 0)]
    );
}

#[test]
fn lines_of_calls_name_constants_and_results() {
    let Some(file) = corpus("recorded/glmix_3f.trace") else { return };
    let mut survey = Survey::open(&common::index_of(&file), file).unwrap();
    while !survey.step(1).unwrap() {}
    let opened = survey.open_frame(0).unwrap();
    let line = |call: u64| opened.rows.iter().find(|row| row.call == call && !row.is_group).unwrap().text.clone();
    assert_eq!(line(97), "glGetError() = GL_INVALID_ENUM");
    assert_eq!(opened.rows.iter().filter(|row| !row.is_group).count() as u64, survey.frames().frames()[0].figures[0]);
}

#[test]
fn times_of_a_replay_belong_to_the_calls_of_their_trace() {
    let (Some(trace), Some(profile)) = (corpus("recorded/glmix_3f.trace"), corpus("recorded/glmix_3f.profile.txt"))
    else {
        return;
    };
    let mut lines = TimesReader::default();
    profile.chunks(1000).for_each(|part| lines.push(part));
    let times = lines.finish();
    let text = String::from_utf8(profile).unwrap();
    let cpu_of = |row: &str| row.split(' ').nth(5).unwrap().parse::<u64>().unwrap();
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("call ")).collect();
    assert_eq!((times.rows().len(), times.skipped.count), (rows.len(), 0));
    // What apitrace has between two ends of frames.
    let expected: Vec<u64> = text
        .split("frame_end")
        .map(|frame| frame.lines().filter(|line| line.starts_with("call ")).map(cpu_of).sum())
        .take(3)
        .collect();
    let mut calls = reader(trace);
    let mut frames = Counting::default();
    calls.pass(0..calls.pieces(), &mut frames).unwrap();
    let sums = times.by_frame(frames.frames().frames());
    let cpu: Vec<Option<u64>> = sums.iter().map(|values| values[0]).collect();
    assert_eq!(cpu, [Some(expected[0]), Some(expected[1]), Some(expected[2]), None]);
    // The driver measured 23 minutes of a glClear in a replay of 0.52 s.
    assert_eq!((times.of(45).unwrap().values()[1], times.replay), (Some(1_376_972_964_381), Some(522_508_225)));
    let gpu: Vec<Option<u64>> = sums.iter().map(|values| values[1]).collect();
    assert_eq!(gpu, [Some(243_885_643), Some(1_196_890), Some(813_808), None]);
    let (slowest, count) = times.highest(1, 0, u64::MAX, usize::MAX);
    assert_eq!((slowest.last().unwrap().call, slowest.len(), count), (45, count, count));
    assert_eq!(times.doubt(), "GPU time of 1 call left out as implausible: longer than the replay, which took 523 ms");
    assert_eq!(times.misfit(&mut calls), Ok(None));
    // Call 3 is glViewport there, too.
    let Some(other) = corpus("recorded/glxgears_trim_21f.trace") else { return };
    let misfit = times.misfit(&mut reader(other)).unwrap().unwrap();
    assert!(misfit.to_string().starts_with("the times are those of another trace: they have "), "{misfit}");
}
