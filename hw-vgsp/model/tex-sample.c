/*
 * Filtering of textures: sampler headers, wrap modes, levels of detail, cube
 * faces. Specified by NVIDIA's clc597tex.h (TEXSAMP) and the Vulkan
 * specification. Filters are those that GH100 shows: weights are multiples of
 * 1/256 whose sum is 1, and what UNORM texels of 8 bits give is a multiple of
 * 1/65535.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include "model/tex.h"

/* TEXSAMP0_ADDRESS_U */
enum {
    WRAP_REPEAT, WRAP_MIRROR, WRAP_CLAMP_EDGE, WRAP_BORDER, WRAP_CLAMP_OGL,
    WRAP_MIRROR_ONCE_EDGE, WRAP_MIRROR_ONCE_BORDER, WRAP_MIRROR_ONCE_OGL,
};
/* TEXSAMP1_MIN_FILTER; the anisotropic one takes linear taps */
enum { MIN_LINEAR = 2, MIN_ANISO = 3 };
/* TEXSAMP1_MIP_FILTER */
enum { MIP_NONE = 1, MIP_POINT = 2, MIP_LINEAR = 3 };
/* TEXSAMP1_REDUCTION_FILTER */
enum { REDUCE_NONE, REDUCE_MIN, REDUCE_MAX };
/* TEXSAMP1_CUBEMAP_INTERFACE_FILTERING: 2 is AUTO_SPAN_SEAM */
#define CUBEMAP_SEAMLESS 2

static float bits_float(uint32_t u)
{
    float f;

    memcpy(&f, &u, sizeof(f));
    return f;
}

static uint32_t float_bits(float f)
{
    uint32_t u;

    memcpy(&u, &f, sizeof(u));
    return u;
}

void vgsp_tex_sampler_decode(const uint32_t w[8], VgspTexSampler *s)
{
    static const uint8_t anisotropy[8] = { 1, 2, 4, 6, 8, 10, 12, 16 };

    memset(s, 0, sizeof(*s));
    for (unsigned i = 0; i < 3; i++) {
        s->wrap[i] = w[0] >> (3 * i) & 7;
    }
    s->compare = w[0] >> 9 & 1;
    s->compare_op = w[0] >> 10 & 7;
    s->mag_linear = (w[1] & 7) == 2;
    s->min_linear = (w[1] >> 4 & 3) >= MIN_LINEAR;
    s->max_taps = (w[1] >> 4 & 3) == MIN_ANISO ? anisotropy[w[0] >> 20 & 7] : 1;
    s->mip = w[1] >> 6 & 3;
    s->cubemap = w[1] >> 8 & 3;
    s->reduction = w[1] >> 10 & 3;
    s->bias = (int16_t)((int32_t)(w[1] << 7) >> 19);
    s->unnormalized = w[1] >> 25 & 1;
    s->min_lod = w[2] & 0xfff;
    s->max_lod = w[2] >> 12 & 0xfff;
    memcpy(s->border, &w[4], sizeof(s->border));
}

/* ---- Coordinates ---- */

#define BORDER (-1)
/* Beyond lie texels of buffers alone, which are not sampled. */
#define COORD_MAX (1 << 24)

/* The texel index for i of a dimension of that size, or BORDER. */
static int32_t wrap_index(unsigned mode, int32_t i, int32_t size)
{
    switch (mode) {
    case WRAP_REPEAT:
        i %= size;
        return i < 0 ? i + size : i;
    case WRAP_MIRROR:
        i %= 2 * size;
        i = i < 0 ? i + 2 * size : i;
        return i < size ? i : 2 * size - 1 - i;
    case WRAP_BORDER:
    case WRAP_CLAMP_OGL:
        return i < 0 || i >= size ? BORDER : i;
    case WRAP_MIRROR_ONCE_EDGE:
        i = i < 0 ? -1 - i : i;
        return MIN(i, size - 1);
    case WRAP_MIRROR_ONCE_BORDER:
    case WRAP_MIRROR_ONCE_OGL:
        i = i < 0 ? -1 - i : i;
        return i >= size ? BORDER : i;
    case WRAP_CLAMP_EDGE:
    default:
        return CLAMP(i, 0, size - 1);
    }
}

/*
 * A coordinate in texels, finite and small enough for an integer. Normalized
 * ones count to 2^-21.
 */
static double scaled(const VgspTexImage *t, const VgspTexSampler *s, float c,
                     int32_t size)
{
    double v = s->unnormalized || !t->normalized
               ? c : floor(ldexp(c, 21)) / 0x1p21 * size;

    return isnan(v) ? 0.0 : CLAMP(v, (double)-COORD_MAX, (double)COORD_MAX);
}

/* ---- Cube faces ---- */

/* The face that (x, y, z) points at, and where on it: 0..1 each. */
static unsigned cube_face(const float d[3], float *s, float *t)
{
    float ax = fabsf(d[0]), ay = fabsf(d[1]), az = fabsf(d[2]);
    unsigned face;
    float sc, tc, ma;

    if (az >= ax && az >= ay) {
        face = d[2] < 0 ? 5 : 4;
        sc = d[2] < 0 ? -d[0] : d[0];
        tc = -d[1];
        ma = az;
    } else if (ay >= ax) {
        face = d[1] < 0 ? 3 : 2;
        sc = d[0];
        tc = d[1] < 0 ? -d[2] : d[2];
        ma = ay;
    } else {
        face = d[0] < 0 ? 1 : 0;
        sc = d[0] < 0 ? d[2] : -d[2];
        tc = -d[1];
        ma = ax;
    }
    if (!(ma > 0)) {
        ma = 1;
    }
    *s = (sc / ma + 1.0f) * 0.5f;
    *t = (tc / ma + 1.0f) * 0.5f;
    return face;
}

/* The direction of a point of a face, which may lie outside of it. */
static void cube_direction(unsigned face, float s, float t, float d[3])
{
    float sc = 2.0f * s - 1.0f, tc = 2.0f * t - 1.0f;

    switch (face) {
    case 0:
        d[0] = 1, d[1] = -tc, d[2] = -sc;
        break;
    case 1:
        d[0] = -1, d[1] = -tc, d[2] = sc;
        break;
    case 2:
        d[0] = sc, d[1] = 1, d[2] = tc;
        break;
    case 3:
        d[0] = sc, d[1] = -1, d[2] = -tc;
        break;
    case 4:
        d[0] = sc, d[1] = -tc, d[2] = 1;
        break;
    default:
        d[0] = -sc, d[1] = -tc, d[2] = -1;
        break;
    }
}

/* A texel beyond the edge of a face lies on the neighbour. */
static void cube_cross(int32_t size, int32_t *x, int32_t *y, unsigned *face)
{
    float d[3], s, t;

    if (*x >= 0 && *x < size && *y >= 0 && *y < size) {
        return;
    }
    cube_direction(*face, ((float)*x + 0.5f) / (float)size,
                   ((float)*y + 0.5f) / (float)size, d);
    *face = cube_face(d, &s, &t);
    *x = CLAMP((int32_t)floorf(s * (float)size), 0, size - 1);
    *y = CLAMP((int32_t)floorf(t * (float)size), 0, size - 1);
}

/* ---- One level ---- */

typedef struct Lookup {
    VgspMmu *mmu;
    const VgspTexImage *t;
    const VgspTexSampler *s;
    const VgspTexRequest *r;
    unsigned level;             /* of the image */
    unsigned dims;              /* coordinates that count: 1, 2, 3 */
    int32_t size[3];
    bool cube;
    unsigned face;
    double c[3];                /* texels */
    bool *resident;
} Lookup;

static void lookup_init(Lookup *l, unsigned level)
{
    const VgspTexImage *t = l->t;
    float coord[3];

    l->level = level;
    l->cube = t->dim == VGSP_TEX_CUBE || t->dim == VGSP_TEX_CUBE_ARRAY;
    l->dims = t->dim == VGSP_TEX_1D || t->dim == VGSP_TEX_1D_ARRAY ? 1
            : t->dim == VGSP_TEX_3D ? 3 : 2;
    l->size[0] = (int32_t)MIN(vgsp_tex_minify(t->width, level), COORD_MAX);
    l->size[1] = l->dims > 1 ? (int32_t)vgsp_tex_minify(t->height, level) : 1;
    l->size[2] = l->dims > 2 ? (int32_t)vgsp_tex_minify(t->depth, level) : 1;
    memcpy(coord, l->r->coord, sizeof(coord));
    if (l->cube) {
        l->face = cube_face(l->r->coord, &coord[0], &coord[1]);
    }
    for (unsigned i = 0; i < 3; i++) {
        l->c[i] = i < l->dims ? scaled(t, l->s, coord[i], l->size[i]) : 0.0;
    }
}

/* Type of the component that one of X, Y, Z, W comes from. */
static VgspTexType type_of(const VgspTexImage *t, unsigned c)
{
    unsigned source = t->source[c];

    return t->type[source >= VGSP_TEX_R && source <= VGSP_TEX_A
                   ? source - VGSP_TEX_R : 0];
}

static bool is_integer(const VgspTexImage *t)
{
    VgspTexType type = type_of(t, 0);

    return type == VGSP_TEX_SINT || type == VGSP_TEX_UINT;
}

/* Where the depth is UNORM the reference is brought to its range. */
static bool compare(const Lookup *l, float value)
{
    float reference = l->r->reference;

    if (type_of(l->t, 0) == VGSP_TEX_UNORM) {
        reference = fminf(fmaxf(reference, 0.0f), 1.0f);
    }
    switch (l->s->compare_op & 7) {
    case 1:
        return reference < value;
    case 2:
        return reference == value;
    case 3:
        return reference <= value;
    case 4:
        return reference > value;
    case 5:
        return reference != value;
    case 6:
        return reference >= value;
    case 7:
        return true;
    default:
        return false;
    }
}

/* The texel at integer coordinates before wrapping: X, Y, Z, W. */
static bool lookup_texel(Lookup *l, const int32_t at[3], uint32_t out[4])
{
    uint32_t layer = l->t->dim == VGSP_TEX_3D ? 0 : l->r->layer;
    VgspTexel texel;
    int32_t i[3] = { at[0], at[1], at[2] };

    if (l->cube && l->s->cubemap == CUBEMAP_SEAMLESS) {
        unsigned face = l->face;

        cube_cross(l->size[0], &i[0], &i[1], &face);
        layer = layer * 6 + face;
    } else {
        for (unsigned d = 0; d < l->dims; d++) {
            i[d] = wrap_index(l->cube ? WRAP_CLAMP_EDGE : l->s->wrap[d],
                              i[d], l->size[d]);
        }
        if (l->cube) {
            layer = layer * 6 + l->face;
        }
    }
    if (i[0] == BORDER || i[1] == BORDER || i[2] == BORDER) {
        memcpy(texel.c, l->s->border, sizeof(texel.c));
    } else {
        VgspTexAt texel_at = {
            .x = (uint32_t)i[0], .y = (uint32_t)i[1], .z = (uint32_t)i[2],
            /* The hardware clamps it. */
            .layer = MIN(layer, l->t->dim == VGSP_TEX_3D ? 0
                                                         : l->t->depth - 1),
        };

        if (!vgsp_tex_fetch(l->mmu, l->t, l->level, &texel_at, &texel,
                            l->resident)) {
            return false;
        }
    }
    vgsp_tex_apply_sources(l->t, &texel, out);
    if (l->r->compare) {
        out[0] = float_bits(compare(l, bits_float(out[0])) ? 1.0f : 0.0f);
    }
    return true;
}

static bool lookup_point(Lookup *l, uint32_t out[4])
{
    int32_t i[3];

    for (unsigned d = 0; d < 3; d++) {
        i[d] = (int32_t)floor(l->c[d]) + (d < l->dims ? l->r->offset[d] : 0);
    }
    if (l->cube) {
        /* The far edge of a face belongs to it. */
        i[0] = CLAMP(i[0], 0, l->size[0] - 1);
        i[1] = CLAMP(i[1], 0, l->size[1] - 1);
    }
    return lookup_texel(l, i, out);
}

/* The corner and the weights, in 1/256, of a linear footprint. */
static void lookup_corner(const Lookup *l, int32_t i[3], uint32_t weight[3])
{
    for (unsigned d = 0; d < 3; d++) {
        if (d < l->dims) {
            double fixed = floor((l->c[d] - 0.5) * 256.0 + 0.5);
            double whole = floor(fixed / 256.0);

            i[d] = (int32_t)whole + l->r->offset[d];
            weight[d] = (uint32_t)(fixed - whole * 256.0);
        } else {
            i[d] = 0;
            weight[d] = 0;
        }
    }
}

/*
 * They are split by Z, by X, and then by Y, where ties are the near one's if
 * that is near in X.
 */
void vgsp_tex_weights(const uint32_t far[3], uint32_t weight[8])
{
    for (unsigned z = 0; z < 2; z++) {
        uint32_t all = z ? far[2] : 256 - far[2];
        uint32_t right = (all * far[0] + 128) / 256;
        uint32_t low = ((all - right) * far[1] + 127) / 256;
        uint32_t low_right = (right * far[1] + 128) / 256;

        weight[4 * z] = all - right - low;
        weight[4 * z + 1] = right - low_right;
        weight[4 * z + 2] = low;
        weight[4 * z + 3] = low_right;
    }
}

/*
 * Whether sums of the component are in 1/65535: seen of UNORM texels of up to 8
 * bits. Wider ones are summed exactly.
 */
static bool in_fixed_point(const Lookup *l, unsigned c)
{
    unsigned source = l->t->source[c];

    return type_of(l->t, c) == VGSP_TEX_UNORM && !l->t->srgb &&
           !l->r->compare && source >= VGSP_TEX_R && source <= VGSP_TEX_A &&
           l->t->format->bits[source - VGSP_TEX_R] <= 8;
}

/* What is weighted: exact, so that sums are rounded once, at the end. */
static double summand(const Lookup *l, unsigned c, uint32_t word)
{
    double v = bits_float(word);

    return in_fixed_point(l, c) ? rint(v * 65535.0) : v;
}

static void put_sums(const Lookup *l, const double sum[4], uint32_t out[4])
{
    for (unsigned c = 0; c < 4; c++) {
        out[c] = float_bits((float)(in_fixed_point(l, c)
                                    ? floor(sum[c] + 0.5) / 65535.0
                                    : sum[c]));
    }
}

static bool lookup_linear(Lookup *l, double sum[4])
{
    uint32_t far[3], weight[8];
    int32_t corner[3];
    bool any = false;

    memset(sum, 0, 4 * sizeof(*sum));
    lookup_corner(l, corner, far);
    vgsp_tex_weights(far, weight);
    for (unsigned n = 0; n < 1u << l->dims; n++) {
        int32_t i[3];
        uint32_t texel[4];

        if (!weight[n]) {
            continue;
        }
        for (unsigned d = 0; d < 3; d++) {
            i[d] = corner[d] + (n >> d & 1);
        }
        if (!lookup_texel(l, i, texel)) {
            return false;
        }
        for (unsigned c = 0; c < 4; c++) {
            double v = summand(l, c, texel[c]);

            switch (l->s->reduction) {
            case REDUCE_MIN:
                sum[c] = any ? fmin(sum[c], v) : v;
                break;
            case REDUCE_MAX:
                sum[c] = any ? fmax(sum[c], v) : v;
                break;
            default:
                sum[c] += weight[n] / 256.0 * v;
                break;
            }
        }
        any = true;
    }
    return true;
}

/* One level, of several: a sum. */
static bool lookup_sum(Lookup *l, unsigned level, bool linear, double sum[4])
{
    uint32_t texel[4];

    lookup_init(l, level);
    if (linear) {
        return lookup_linear(l, sum);
    }
    if (!lookup_point(l, texel)) {
        return false;
    }
    for (unsigned c = 0; c < 4; c++) {
        sum[c] = summand(l, c, texel[c]);
    }
    return true;
}

/* The only level. */
static bool lookup_level(Lookup *l, unsigned level, bool linear,
                         uint32_t out[4])
{
    double sum[4];

    lookup_init(l, level);
    if (!linear || is_integer(l->t)) {
        return lookup_point(l, out);
    }
    if (!lookup_linear(l, sum)) {
        return false;
    }
    put_sums(l, sum, out);
    return true;
}

/* ---- Levels of detail ---- */

float vgsp_tex_clamp_lod(const VgspTexImage *t, const VgspTexSampler *s,
                         float lod)
{
    float min = s->min_lod / 256.0f, max = s->max_lod / 256.0f;

    lod += s->bias / 256.0f;
    if (isnan(lod)) {
        lod = 0.0f;
    }
    lod = fminf(fmaxf(lod, min), fmaxf(max, min));
    return fmaxf(lod, t->min_lod_clamp / 256.0f);
}

void vgsp_tex_footprint(const VgspTexImage *t, const VgspTexSampler *s,
                        const float *ddx, const float *ddy, VgspTexRequest *r)
{
    bool cube = t->dim == VGSP_TEX_CUBE || t->dim == VGSP_TEX_CUBE_ARRAY;
    unsigned dims = t->dim == VGSP_TEX_1D || t->dim == VGSP_TEX_1D_ARRAY ? 1
                  : t->dim == VGSP_TEX_3D || cube ? 3 : 2;
    uint32_t base[3] = {
        vgsp_tex_minify(t->width, t->min_level),
        vgsp_tex_minify(t->height, t->min_level),
        vgsp_tex_minify(t->dim == VGSP_TEX_3D ? t->depth : 1, t->min_level),
    };
    double x = 0.0, y = 0.0, scale = 1.0, ratio;

    r->taps = 1;
    r->lod = 0.0f;
    if (cube) {
        /* A face spans two units of its major axis. */
        scale = 2.0 * fmax(fmax(fabsf(r->coord[0]), fabsf(r->coord[1])),
                           fabsf(r->coord[2]));
        base[1] = base[2] = base[0];
        if (!(scale > 0.0)) {
            return;
        }
    }
    for (unsigned d = 0; d < dims; d++) {
        double size = s->unnormalized || !t->normalized ? 1.0
                    : base[d] / scale;

        x += (double)ddx[d] * size * (double)ddx[d] * size;
        y += (double)ddy[d] * size * (double)ddy[d] * size;
    }
    r->lod = fmax(x, y) > 0.0 ? (float)(0.5 * log2(fmax(x, y))) : -126.0f;
    /* As the Vulkan specification has it ("LOD(Level of Detail)"). */
    if (s->max_taps > 1 && r->lod > 0.0f && isfinite(r->lod) &&
        t->dim != VGSP_TEX_3D && dims > 1 && s->reduction == REDUCE_NONE) {
        ratio = fmin(sqrt(fmax(x, y) / fmin(x, y)), s->max_taps);
        r->taps = (unsigned)ceil(ratio);
        r->lod -= (float)log2(ratio);
        memcpy(r->axis, x > y ? ddx : ddy, dims * sizeof(*ddx));
    }
}

/* One tap: of one level, or of two. */
static bool sample_tap(VgspMmu *mmu, const VgspTexImage *t,
                       const VgspTexSampler *s, const VgspTexRequest *r,
                       uint32_t out[4], bool *resident)
{
    Lookup l = { .mmu = mmu, .t = t, .s = s, .r = r, .resident = resident };
    float lod = fmaxf(vgsp_tex_clamp_lod(t, s, r->lod), r->min_lod);
    unsigned levels = t->max_level - t->min_level;
    bool linear = lod > 0.0f ? s->min_linear : s->mag_linear;
    double near[4], far[4];
    uint32_t fixed;

    lod = CLAMP(lod, 0.0f, (float)levels);
    if (s->mip == MIP_POINT) {
        return lookup_level(&l, t->min_level +
                            (unsigned)MAX(ceilf(lod - 0.5f), 0.0f),
                            linear, out);
    }
    if (s->mip != MIP_LINEAR) {
        return lookup_level(&l, t->min_level, linear, out);
    }
    fixed = (uint32_t)(lod * 256.0f);
    if (fixed % 256 == 0 || is_integer(t)) {
        return lookup_level(&l, t->min_level + fixed / 256, linear, out);
    }
    if (!lookup_sum(&l, t->min_level + fixed / 256, linear, near) ||
        !lookup_sum(&l, t->min_level + fixed / 256 + 1, linear, far)) {
        return false;
    }
    for (unsigned c = 0; c < 4; c++) {
        double w = fixed % 256 / 256.0;

        near[c] = s->reduction == REDUCE_MIN ? fmin(near[c], far[c])
                : s->reduction == REDUCE_MAX ? fmax(near[c], far[c])
                : (1.0 - w) * near[c] + w * far[c];
    }
    put_sums(&l, near, out);
    return true;
}

bool vgsp_tex_sample(VgspMmu *mmu, const VgspTexImage *t,
                     const VgspTexSampler *s, const VgspTexRequest *r,
                     uint32_t out[4], bool *resident)
{
    double sum[4] = { 0 };

    if (r->taps <= 1 || is_integer(t)) {
        return sample_tap(mmu, t, s, r, out, resident);
    }
    for (unsigned i = 0; i < r->taps; i++) {
        VgspTexRequest tap = *r;

        for (unsigned d = 0; d < 3; d++) {
            tap.coord[d] += r->axis[d] * ((float)(i + 1) /
                                          (float)(r->taps + 1) - 0.5f);
        }
        if (!sample_tap(mmu, t, s, &tap, out, resident)) {
            return false;
        }
        for (unsigned c = 0; c < 4; c++) {
            sum[c] += bits_float(out[c]);
        }
    }
    for (unsigned c = 0; c < 4; c++) {
        out[c] = float_bits((float)(sum[c] / r->taps));
    }
    return true;
}

bool vgsp_tex_gather(VgspMmu *mmu, const VgspTexImage *t,
                     const VgspTexSampler *s, const VgspTexRequest *r,
                     unsigned component, const int8_t offsets[4][2],
                     uint32_t out[4], bool *resident)
{
    static const uint8_t order[4][2] = { { 0, 1 }, { 1, 1 }, { 1, 0 },
                                         { 0, 0 } };
    Lookup l = { .mmu = mmu, .t = t, .s = s, .r = r, .resident = resident };
    uint32_t weight[3];
    int32_t corner[3];

    lookup_init(&l, t->min_level);
    lookup_corner(&l, corner, weight);
    for (unsigned n = 0; n < 4; n++) {
        int32_t i[3] = { corner[0], corner[1], corner[2] };
        uint32_t texel[4];

        if (offsets) {
            /* Each texel is the (0,0) of its own footprint. */
            i[0] += offsets[n][0];
            i[1] += offsets[n][1];
        } else {
            i[0] += order[n][0];
            i[1] += order[n][1];
        }
        if (!lookup_texel(&l, i, texel)) {
            return false;
        }
        out[n] = texel[component & 3];
    }
    return true;
}
