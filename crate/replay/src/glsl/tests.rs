use hashbrown::HashMap;

use super::*;

fn both(vertex: &str, fragment: &str) -> Translated {
    link([vertex, fragment], false, &HashMap::new(), &HashMap::new(), &mut Budget { size: 1 << 15, steps: 0 }).unwrap()
}

#[test]
fn old_shaders_become_those_of_es_3() {
    let made = both(
        "attribute vec3 position; varying vec2 uv;\nvoid main() { gl_Position = ftransform(); gl_FrontColor = gl_Color; uv = position.xy; }",
        "uniform sampler2D texture; varying vec2 uv;\nvoid main() { for (int i = 0; i < 3; i++) gl_FragColor = texture2D(texture, uv) * gl_Color; }",
    );
    assert!(made.vertex.contains("out vec2 uv;"), "{}", made.vertex);
    assert!(made.vertex.contains("_ftransform()"));
    assert!(made.fragment.contains("texture( u_texture, uv)"), "{}", made.fragment);
    assert!(made.fragment.contains("_lg(1) && ( i < 3);"), "{}", made.fragment);
    assert_eq!(made.uniforms[0].shown, "u_texture");
    let sources: Vec<Source> = made.inputs.iter().map(|input| input.source).collect();
    assert_eq!(sources, [Source::Generic(0), Source::Vertex, Source::Color]);
    assert_eq!(made.compatibility, ["ModelViewProjectionMatrix"]);
    assert!(made.alpha_test);
}

#[test]
fn texture_coordinates_come_in_the_order_of_their_numbers() {
    let body: String = [5, 1, 7, 0, 3, 6, 2, 4].iter().map(|i| format!("gl_TexCoord[{i}] = gl_Vertex; ")).collect();
    let made =
        both(&format!("void main() {{ gl_Position = gl_Vertex; {body} }}"), "void main() { gl_FragColor = gl_Color; }");
    let found: Vec<&str> = made.vertex.split("#define _TC").skip(1).filter_map(|rest| rest.get(..1)).collect();
    assert_eq!(found, ["0", "1", "2", "3", "4", "5", "6", "7"]);
}

#[test]
fn blocks_of_varyings_are_taken_apart_and_layouts_kept_where_they_exist() {
    let made = both(
        "#version 430\nlayout(location = 3) in vec4 p; out V { vec3 n; flat int k; } v;\n\
         layout(std140, binding = 2) uniform B { mat4 m; } b;\nvoid main() { v.n = p.xyz; v.k = 1; gl_Position = b.m * p; }",
        "#version 430\nin V { vec3 n; flat int k; } w; layout(location = 0) out vec4 o; uniform float f = -2.5;\n\
         const float HALF = 1 / 2.0, ALL = HALF * 2; uniform vec2 g = vec2(3, ALL) * HALF;\n\
         void main() { o = vec4(w.n, f + g.x); }",
    );
    assert!(made.vertex.contains("out vec3 _b_V_n;"), "{}", made.vertex);
    assert!(made.vertex.contains("flat out int _b_V_k;"), "{}", made.vertex);
    assert!(made.fragment.contains("_b_V_n"), "{}", made.fragment);
    assert_eq!(made.blocks, [("B".to_owned(), Some(2))]);
    assert_eq!(made.inputs[0].source, Source::Generic(3));
    assert_eq!(made.uniforms[0].initial, [-2.5]);
    assert_eq!(made.uniforms[1].initial, [1.5, 0.5]);
}

#[test]
fn outputs_of_vertices_have_the_names_that_the_shader_gives_them() {
    let outputs = |vertex: &str, fragment: &str| {
        let all = both(vertex, fragment).outputs;
        all.into_iter().map(|it| format!("{} {}{}: {}", it.type_name, it.shown, it.array, it.name)).collect::<Vec<_>>()
    };
    let modern = outputs(
        "#version 430\nlayout(location = 2) out vec3 normal; flat out ivec2 k[2]; out V { vec3 n; } v; out vec2 input__a;\n\
         void main() { gl_Position = vec4(0.0); gl_PointSize = 2.0; }",
        "#version 430\nin vec4 missing; out vec4 o; void main() { o = missing; }",
    );
    let names = [
        "vec3 _l2: normal",
        "ivec2 k[2]: k",
        "vec3 _b_V_n: v.n",
        "vec2 input_u_ua: input__a",
        "float gl_PointSize: gl_PointSize",
    ];
    assert_eq!(modern.iter().map(|it| it.replace(' ', "")).collect::<Vec<_>>(), names.map(|it| it.replace(' ', "")));
    let old = outputs(
        "varying vec2 uv; void main() { gl_Position = ftransform(); gl_FrontColor = gl_Color; gl_TexCoord[1] = gl_MultiTexCoord1; uv = vec2(0.0); }",
        "void main() { gl_FragColor = gl_Color; }",
    );
    assert_eq!(old, ["vec2 uv: uv", "vec4 _fcs: gl_FrontColor", "vec4 _tc1: gl_TexCoord[1]"]);
}

#[test]
fn textures_without_a_counterpart_are_sampled_as_flat_ones() {
    let made = both(
        "#version 140\nin vec2 p; void main() { gl_Position = vec4(p, 0.0, 1.0); }",
        "#version 140\nuniform sampler1D line; uniform sampler2DRect r; uniform sampler2D flat_one; out vec4 o;\n\
         void main() { o = texture(line, 0.5) + texture(r, vec2(3, 4)) + texture(flat_one, vec2(0)) * 2; }",
    );
    let body = made.fragment.replace(' ', "");
    assert!(body.contains("_tex1D(line,0.5)+_texRect(r,vec2(3,4))+texture(flat_one,vec2(0))"), "{body}");
    assert!(body.contains("uniformsampler2Dline;") && body.contains("uniformsampler2Dr;"), "{body}");
}

#[test]
fn members_are_called_as_they_are_declared() {
    let made = both(
        "void main() { gl_Position = vec4(0.0); }",
        "struct S { float filter; vec2 input__a; }; void main() { S s; s.filter = 1.0; gl_FragColor = s.input__a.xxyy * s.filter; }",
    );
    let body = made.fragment.replace(' ', "");
    assert!(body.contains("floatu_filter;vec2input_u_ua;"), "{body}");
    assert!(body.contains("s.u_filter=1.0;_fragData[0]=s.input_u_ua.xxyy*s.u_filter;"), "{body}");
}
