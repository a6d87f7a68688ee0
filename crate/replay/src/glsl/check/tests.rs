use super::*;
use crate::glsl::preprocess::preprocess;

/// A shader with its conversions, without `#version`. Spaces are those between words.
fn made(version: u32, source: &str) -> String {
    let all = preprocess(&format!("#version {version}\n{source}"), false);
    assert_eq!(all.error, None);
    let mut tokens = all.tokens;
    tokens.iter_mut().for_each(|token| token.is_final = false);
    let (tokens, _) = converted(tokens, version, all.gpu_shader5).unwrap();
    let mut out = String::new();
    for token in tokens {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if out.ends_with(is_word) && token.text.starts_with(is_word) {
            out.push(' ');
        }
        out.push_str(&token.text);
    }
    out
}

/// What becomes of statements in a function, after declarations.
#[track_caller]
fn becomes(version: u32, globals: &str, statements: &str, expected: &str) {
    let shown = made(version, &format!("{globals} void f() {{ {statements} }}"));
    let (before, after) = shown.split_once("void f(){").unwrap();
    assert_eq!(after.strip_suffix('}').unwrap(), expected, "{before}");
}

const VARIABLES: &str =
    "float x; vec2 v; vec3 w; int i; ivec2 j; ivec3 k; uint u; uvec2 q; mat2 m; mat3 n; bool b; float a[3]; int l[4];";

#[test]
fn operands_get_one_type() {
    for (statement, expected) in [
        ("x = x * 2 - 3;", "x=x*2.0-3.0;"),
        ("x = 1 + i;", "x=float(1+i);"),
        ("v = v * 255;", "v=v*255.0;"),
        ("x = u * x;", "x=float(u)*x;"),
        ("v = j / x;", "v=vec2(j)/x;"),
        ("v = j * i;", "v=vec2(j*i);"),
        ("w.xy = 2 * w.zx + i;", "w.xy=2.0*w.zx+float(i);"),
        ("x = -2 * x + (-i);", "x=-2.0*x+float((-i));"),
        ("m = m * 2; w = n * w * i;", "m=m*2.0;w=n*w*float(i);"),
        ("x = i < x ? 1 : i;", "x=float(float(i)<x?1:i);"),
        ("x = b ? 1 : x;", "x=b?1.0:x;"),
        ("b = v == j || x != 3;", "b=v==vec2(j)||x!=3.0;"),
        ("x += 1; v *= i; w -= k; x /= u;", "x+=1.0;v*=float(i);w-=vec3(k);x/=float(u);"),
        ("u = u + i; q = j * u; u <<= i; u = u << 1;", "u=u+uint(i);q=uvec2(j)*u;u<<=i;u=u<<1;"),
        ("u = i; u = 3; u = u & 0xff; u = 5 % u;", "u=uint(i);u=3u;u=u&255u;u=5u%u;"),
        ("x = 0x10 + x + 010u;", "x=16.0+x+8.0;"),
        ("x = 0xffffffff + x;", "x=float(0xffffffff)+x;"),
        ("x = (i = 2, i);", "x=float((i=2,i));"),
        ("a[i] = l[i + 1] + l.length();", "a[i]=float(l[i+1]+l.length());"),
        ("v[0] = m[1][i] * 2; x = n[2].y - 1;", "v[0]=m[1][i]*2.0;x=n[2].y-1.0;"),
        ("x = i++ - -x;", "x=float(i++)--x;"),
        ("float y = 1, z[2], t = i;", "float y=1.0,z[2],t=float(i);"),
        ("if (x > 0) x = -1; else if (i > 0) x = 1; else { x = 2; }", "if(x>0.0)x=-1.0;else if(i>0)x=1.0;else{x=2.0;}"),
        // What does not become the other by itself stays.
        ("i = x; i += 1.5; b = i; i = u; j = i;", "i=x;i+=1.5;b=i;i=u;j=i;"),
        ("x = unknown * 2; x = unknown(i) + 1;", "x=unknown*2;x=unknown(i)+1;"),
        ("x = 1f;", "x=1.0;"),
    ] {
        becomes(400, VARIABLES, statement, expected);
    }
}

#[test]
fn names_mean_what_their_scope_says() {
    becomes(
        330,
        "float k; struct S { float s; ivec2 t; vec2 r[2]; } g;",
        "k = 1; { int k; k = 1; { float k = 1; k = 2; } k = 3; } k = 4; for (int k = 0; k < 2; k++) if (k > 1) k = 5; else k = 6; \
         k = 7; g.s = 1; g.t.x = 1; g.r[1] = g.t; S h = S(1, ivec2(1), g.r); while (k < 1) { int k = 1; } do k += 1; while (k < 9); k = 8;",
        "k=1.0;{int k;k=1;{float k=1.0;k=2.0;}k=3;}k=4.0;for(int k=0;k<2;k++)if(k>1)k=5;else k=6;\
         k=7.0;g.s=1.0;g.t.x=1;g.r[1]=vec2(g.t);S h=S(1.0,ivec2(1),g.r);while(k<1.0){int k=1;}do k+=1.0;while(k<9.0);k=8.0;",
    );
    becomes(
        330,
        "uniform B { vec4 c; int n; } b; uniform D { mat4 e[2]; }; in vec2 p, q[2];",
        "b.c = b.c * b.n; e[1][0].x = 1; p = q[0] * 2;",
        "b.c=b.c*float(b.n);e[1][0].x=1.0;p=q[0]*2.0;",
    );
}

#[test]
fn declarations_without_variables_declare_nothing() {
    let source = "layout(early_fragment_tests) in; float x; layout(std140) uniform; vec2 v; invariant gl_Position; in vec4 gl_FragCoord; struct S { ; int a; }; \
                  void f() { precision highp float; ; x = 1; { } v = x * ivec2(1); S s; x = s.a; } out gl_PerVertex { vec4 gl_Position; }; void g() { gl_Position = 2 * gl_FragCoord; }";
    assert_eq!(
        made(430, source),
        "layout(early_fragment_tests)in;float x;layout(std140)uniform;vec2 v;invariant gl_Position;in vec4 gl_FragCoord;struct S{;int a;};\
         void f(){precision highp float;;x=1.0;{}v=x*vec2(ivec2(1));S s;x=float(s.a);}out gl_PerVertex{vec4 gl_Position;};void g(){gl_Position=2.0*gl_FragCoord;}"
    );
}

#[test]
fn functions_are_those_that_the_types_choose() {
    let functions =
        "float g(float a) { return 1; } int g(int a) { return a; } float h(vec2 a, float b); vec2 h(vec3 a, float b);";
    becomes(
        330,
        functions,
        "float x = g(1) / 2; x = g(1u); x = h(ivec2(1), 2).x;",
        "float x=float(g(1)/2);x=g(1.0);x=h(vec2(ivec2(1)),2.0);",
    );
    assert!(made(330, functions).starts_with("float g(float a){return 1.0;}int g(int a){return a;}"));
    // The shader's functions hide those of the language.
    becomes(
        330,
        "float mix(float a, int b) { return a; }",
        "float x = mix(1, 2); x = mix(1, 2, 3);",
        "float x=mix(1.0,2);x=mix(1.0,2.0,3.0);",
    );
    // 4.00 prefers floats to unsigned numbers, as Mesa does.
    let two = "float e(uint a); float e(float a);";
    becomes(400, two, "e(1);", "e(1.0);");
    let both = "#extension GL_ARB_gpu_shader5 : enable\nfloat e(uint a, int b); float e(float a, float b);";
    becomes(330, both, "e(1, 1);", "e(1u,1);");
    becomes(330, &both.replace("enable", "disable"), "e(1, 1);", "e(1.0,1.0);");
    becomes(330, "float e(uint a);", "e(1);", "e(1u);");
    let source = "float d(float a, out float b) { b = 1; return b; } void f() { vec2 r; d(1, r.x); }";
    assert!(made(120, source).ends_with("void f(){vec2 r;d(1.0,r.x);}"));
}

#[test]
fn functions_that_differ_by_textures_of_one_kind_have_names_of_their_own() {
    let source = "float g(sampler2D t, vec2 p) { return p.x; } vec4 g(sampler1D t, vec2 p); float h(sampler1D t) { return 1; } \
                  vec4 g(sampler1D t, vec2 p) { return vec4(p, p); } uniform sampler2D a; uniform sampler1D b; \
                  void f() { float x = g(a, ivec2(1)); x = g(b, vec2(0)).x + h(b); }";
    let shown = made(330, source);
    let (_, rest) = shown.split_once("vec4 ").unwrap();
    let (name, _) = rest.split_once('(').unwrap();
    assert!(name.starts_with("_f"), "{shown}");
    assert!(shown.contains(&format!("vec4 {name}(sampler1D t,vec2 p);")), "{shown}");
    assert!(shown.contains(&format!("vec4 {name}(sampler1D t,vec2 p){{")), "{shown}");
    assert!(shown.ends_with(&format!("float x=g(a,vec2(ivec2(1)));x={name}(b,vec2(0)).x+h(b);}}")), "{shown}");
}

#[test]
fn what_functions_write_is_converted_back() {
    let shown =
        made(120, "int e(int a, out int b) { b = a; return 1; } void main() { float x; x = e(2, x); e(3, x); }");
    let wrapper = "int e(int a0,out float a1){int b1;int r=e(a0,b1);a1=float(b1);return r;}";
    assert_eq!(shown.matches(wrapper).count(), 1, "{shown}");
    assert!(shown.ends_with(&format!("{wrapper}void main(){{float x;x=float(e(2,x));e(3,x);}}")), "{shown}");
}

#[test]
fn functions_of_the_language_depend_on_the_version() {
    becomes(
        330,
        VARIABLES,
        "x = abs(i) / 2; x = min(i, 2); x = max(x, 1); v = clamp(v, 0, i);",
        "x=float(abs(i)/2);x=float(min(i,2));x=max(x,1.0);v=clamp(v,0.0,float(i));",
    );
    becomes(120, VARIABLES, "x = abs(i) / 2; x = mod(i, 2);", "x=float(abs(i)/2);x=mod(float(i),2.0);");
    // `mix` of whole numbers exists from 4.50 on.
    becomes(400, VARIABLES, "v = mix(j, j, bvec2(b));", "v=mix(vec2(j),vec2(j),bvec2(b));");
    becomes(
        330,
        VARIABLES,
        "x = pow(2, i) + mod(x, 2) + length(j) + dot(v, j); v = mix(v, j, 1); w = step(0, w); b = any(lessThan(v, j)); v = smoothstep(0, 1, v);",
        "x=pow(2.0,float(i))+mod(x,2.0)+length(vec2(j))+dot(v,vec2(j));v=mix(v,vec2(j),1.0);w=step(0.0,w);b=any(lessThan(v,vec2(j)));v=smoothstep(0.0,1.0,v);",
    );
    becomes(
        450,
        VARIABLES,
        "i = bitCount(u) + findLSB(4); x = fma(x, 2, i); j = mix(j, j, bvec2(b)); v = mix(v, v, bvec2(b));",
        "i=_bitCount(u)+_findLSB(4);x=_fma(x,2.0,float(i));j=_mix(j,j,bvec2(b));v=mix(v,v,bvec2(b));",
    );
}

#[test]
fn samplers_say_what_a_texture_has() {
    let samplers = "uniform sampler2D s; uniform isampler2D t; uniform sampler1D o; uniform sampler2DRect r; uniform usampler1D z[2]; \
                    uniform sampler2DShadow d; ivec2 j; float x; vec4 c;";
    becomes(
        150,
        samplers,
        "c = texture(s, j) * 2; c = texture2D(s, j, 1); c = texelFetch(t, j, 0); c = texture(o, 1) + texture(r, j); c = texture(z[1], x) + textureSize(o, 0); \
         x = texture(d, vec3(1)) * 2; c = textureLodOffset(s, j, 0, j); c = shadow2D(d, vec3(1)) * 2;",
        "c=texture(s,vec2(j))*2.0;c=texture2D(s,vec2(j),1.0);c=vec4(texelFetch(t,j,0));c=_tex1D(o,1.0)+_texRect(r,vec2(j));\
         c=vec4(_tex1D(z[1],x)+uint(_size1D(o,0)));x=texture(d,vec3(1))*2.0;c=textureLodOffset(s,vec2(j),0.0,j);c=shadow2D(d,vec3(1))*2.0;",
    );
    becomes(
        400,
        samplers,
        "c = textureGather(s, j, 1) + textureGather(d, j, 1);",
        "c=_gather(s,vec2(j),1)+_gatherShadow(d,vec2(j),1.0);",
    );
    assert!(made(150, "vec4 g(sampler1D e) { return texture(e, 1); }").contains("_tex1D(e,1.0)"));
}

#[test]
fn lists_are_constructors() {
    becomes(
        420,
        "struct S { float a; vec2 b; int c[2]; };",
        "float x[3] = {1, 2, 3,}; vec2 v = {1, 2}; S s = {1, {1, 2}, {3, 4}}; S t[] = {{1, vec2(2), {1, 2}}}; mat2 m = {{1, 0}, {0, 1}}; int i = 1;",
        "float x[3]=float[](1.0,2.0,3.0);vec2 v=vec2(1.0,2.0);S s=S(1.0,vec2(1.0,2.0),int[](3,4));\
         S t[]=S[](S(1.0,vec2(2),int[](1,2)));mat2 m=mat2(vec2(1.0,0.0),vec2(0.0,1.0));int i=1;",
    );
    becomes(
        330,
        "",
        "float x[2] = float[2](1, 2); vec2 v[] = vec2[](ivec2(1), vec2(1));",
        "float x[2]=float[2](1.0,2.0);vec2 v[]=vec2[](vec2(ivec2(1)),vec2(1));",
    );
}

#[test]
fn what_es_forbids_is_written_otherwise() {
    becomes(
        420,
        VARIABLES,
        "w = x.xxx; x = x.r; v = v.xy.length() * w.xy; i = m.length();",
        "w=vec3(x);x=x;v=float(2)*w.xy;i=2;",
    );
    becomes(
        420,
        "uniform float k; const float d = 3;",
        "const float e = d * (d + 2) + 1; const float g = k * 2; const int n = 2; float z[n];",
        "const float e=d*(d+2.0)+1.0;float g=k*2.0;const int n=2;float z[n];",
    );
    let shown =
        made(330, "uniform int k; float a = 1, d = k * 2, e = 3; float g = d; void main() { a = 2; } float h = k;");
    assert_eq!(
        shown,
        "uniform int k;float a=1.0,d,e=3.0;float g;void main(){d=float(k*2);g=d;a=2.0;}float h=float(k);"
    );
}

#[test]
fn arrays_without_a_size_have_what_is_used() {
    assert_eq!(
        made(
            330,
            "const int n = 2; uniform vec4 a[]; in float c[], d[3]; void f() { a[1]; a[n * 2 - 1]; { int a[2]; a[9]; } c; }"
        ),
        "const int n=2;uniform vec4 a[4];in float c[1],d[3];void f(){a[1];a[n*2-1];{int a[2];a[9];}c;}"
    );
}

#[test]
fn switches_and_results_are_converted() {
    let source = "float g(uint u) { switch (u) { case 1: return 2; case 2u: { return u; } default: break; } return -1; } vec2 h() { return ivec2(1); }";
    assert_eq!(
        made(400, source),
        "float g(uint u){switch(u){case 1u:return 2.0;case 2u:{return float(u);}default:break;}return-1.0;}vec2 h(){return vec2(ivec2(1));}"
    );
}

#[test]
fn whatever_the_text_is_it_ends() {
    let many = |text: &str| text.repeat(20_000);
    for source in [
        many("("),
        many("{ ("),
        many("void f() {"),
        format!("void f() {{ {}", many("if (a) ")),
        format!("void f() {{ {}", many("for (;;) ")),
        format!("void f() {{ {} }}", many("do ")),
        format!("void f() {{ {} }}", many("} { ; ")),
        format!("void f() {{ float x; x = {} 1; }}", many("x * 2 + ")),
        format!("void f() {{ float x; x = {} x; }}", many("- ")),
        format!("struct S {{ {} }} s; void f() {{ {} }}", many("float a; "), many("s.b; ")),
        format!("{} void f() {{ {} }}", many("float g(int a, float b[2]);"), many("g(1, 2); ")),
        (0..5000).map(|i| format!("struct S{i} {{ int a; }}; float g(S{i} s);")).collect::<String>()
            + &format!("void f() {{ {} }}", many("g(1); ")),
        format!(
            "{} void f() {{ {} ; }}",
            (0..5000).map(|i| format!("struct S{i} {{ int a; }}; float g(S{i} s);")).collect::<String>(),
            many("g(1), ")
        ),
        format!(
            "vec4 v; void f() {{ {} }}",
            many(&format!("{}0{};", "v[".repeat(99), "].length()".repeat(99))).get(..1 << 20).unwrap_or_default()
        ),
        many("uniform float a["),
        many("case : return switch ( default ) else while ("),
        many("a . . b ? : [ ] , = "),
        "void f(".into(),
        "struct".into(),
        "struct S".into(),
        "float".into(),
        "layout".into(),
        "const".into(),
        "void f() { return".into(),
        "void f() { float x = { { } , } ; vec2 y = {} ; x.x.x.length().x; }".into(),
    ] {
        let all = preprocess(&format!("#version 430\n{source}"), false);
        if let Ok((tokens, steps)) = converted(all.tokens, 430, all.gpu_shader5) {
            assert!(tokens.len() < 1 << 20 && steps <= MAX_STEPS, "{} tokens, {steps} steps", tokens.len());
        }
    }
}
