#pragma once

#include "example.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

/// Digits as strokes, drawn with a pen: a data set without files.
inline constexpr int digit_side = 28;

/// How digits are written. A hand is one of these, with small deviations.
struct handwriting {
    double roundness = 2;      ///< of bows: 1 a rhombus, 2 an ellipse, 4 almost a rectangle
    double width = 0.5;        ///< of a digit, in parts of its height
    bool has_foot = false;     ///< a 1 with a line below
    bool has_bar = false;      ///< a 7 with one through it
    bool is_open = false;      ///< a 4 that is open above
    bool has_straight = false; ///< 6 and 9 with a straight back
};

using stroke = std::vector<std::pair<double, double>>;

/// Part of a bow around a centre, from one angle to another, in degrees clockwise from the right.
inline stroke bow(double x, double y, double wide, double high, double from, double to, double roundness) {
    stroke points;
    for (int i = 0; i <= 12; ++i) {
        const double angle = (from + (to - from) * i / 12) * std::numbers::pi / 180;
        const auto bent = [&](double c) { return std::copysign(std::pow(std::abs(c), 2 / roundness), c); };
        points.emplace_back(x + wide * bent(std::cos(angle)), y + high * bent(std::sin(angle)));
    }
    return points;
}

/// The strokes of a digit in a square from -1 to 1, y downwards.
inline std::vector<stroke> strokes_of(int digit, const handwriting& h) {
    const double w = h.width;
    const double r = h.roundness;
    switch (digit) {
    case 0: return {bow(0, 0, w, 0.8, 0, 360, r)};
    case 1: {
        std::vector<stroke> all{{{-0.5 * w, -0.45}, {0.1 * w, -0.8}, {0.1 * w, 0.8}}};
        if (h.has_foot) {
            all.push_back({{-0.6 * w, 0.8}, {0.8 * w, 0.8}});
        }
        return all;
    }
    case 2: {
        stroke line = bow(0, -0.4, w, 0.4, 190, 380, r);
        line.emplace_back(-w, 0.8);
        line.emplace_back(w, 0.8);
        return {line};
    }
    case 3: return {bow(-0.1 * w, -0.4, w, 0.4, 200, 450, r), bow(-0.1 * w, 0.38, 1.1 * w, 0.42, 270, 520, r)};
    case 4:
        if (h.is_open) {
            return {{{-0.7 * w, -0.8}, {-w, 0.2}, {w, 0.2}}, {{0.5 * w, -0.3}, {0.5 * w, 0.8}}};
        }
        return {{{0.5 * w, 0.8}, {0.5 * w, -0.8}, {-w, 0.3}, {w, 0.3}}};
    case 5: {
        stroke line{{0.9 * w, -0.8}, {-0.8 * w, -0.8}, {-0.9 * w, -0.1}};
        const stroke end = bow(-0.1 * w, 0.3, 1.1 * w, 0.5, 230, 510, r);
        line.insert(line.end(), end.begin(), end.end());
        return {line};
    }
    case 6:
        return {h.has_straight ? stroke{{0.6 * w, -0.8}, {-0.85 * w, 0.15}} : bow(w, 0.3, 2 * w, 1.1, 270, 180, r),
                bow(0, 0.35, w, 0.45, 0, 360, r)};
    case 7: {
        std::vector<stroke> all{{{-w, -0.8}, {w, -0.8}, {-0.3 * w, 0.8}}};
        if (h.has_bar) {
            all.push_back({{-0.5 * w, 0.05}, {0.8 * w, 0.05}});
        }
        return all;
    }
    case 8: return {bow(0, -0.4, 0.85 * w, 0.38, 0, 360, r), bow(0, 0.4, w, 0.42, 0, 360, r)};
    default:
        return {bow(0, -0.35, w, 0.45, 0, 360, r),
                h.has_straight ? stroke{{w, -0.35}, {0.8 * w, 0.8}} : bow(-w, -0.3, 2 * w, 1.1, 0, 90, r)};
    }
}

/// Draws a digit with a pen, turned, slanted, scaled and moved a little, with noise.
inline void draw_digit(int digit, handwriting hand, random_numbers& random, float* image) {
    hand.roundness *= random.within(0.9, 1.1);
    hand.width *= random.within(0.8, 1.2);
    const double turn = random.within(-0.2, 0.2);
    const double slant = random.within(-0.25, 0.25);
    const double size = random.within(8.5, 11.5);
    const double right = random.within(-2, 2) + digit_side / 2.0;
    const double down = random.within(-2, 2) + digit_side / 2.0;
    const double pen = random.within(0.7, 1.6);
    std::vector<stroke> strokes = strokes_of(digit, hand);
    for (stroke& line : strokes) {
        for (auto& [x, y] : line) {
            const double leaning = x - slant * y;
            x = right + size * (leaning * std::cos(turn) - y * std::sin(turn));
            y = down + size * (leaning * std::sin(turn) + y * std::cos(turn));
        }
    }
    for (int row = 0; row < digit_side; ++row) {
        for (int column = 0; column < digit_side; ++column) {
            double nearest = 1e4; // squared
            for (const stroke& line : strokes) {
                for (std::size_t i = 0; i + 1 < line.size(); ++i) {
                    const auto [ax, ay] = line[i];
                    const auto [bx, by] = line[i + 1];
                    const double dx = bx - ax;
                    const double dy = by - ay;
                    const double length = dx * dx + dy * dy;
                    const double t = length > 0 ? ((column - ax) * dx + (row - ay) * dy) / length : 0;
                    const double along = std::clamp(t, 0.0, 1.0);
                    const double across = column - ax - along * dx;
                    const double down_from = row - ay - along * dy;
                    nearest = std::min(nearest, across * across + down_from * down_from);
                }
            }
            const double ink = std::clamp(pen + 0.5 - std::sqrt(nearest), 0.0, 1.0) + random.within(-0.1, 0.1);
            image[row * digit_side + column] = static_cast<float>(std::clamp(ink, 0.0, 1.0));
        }
    }
}

/// Hands that are trained on, and hands that only the judgement sees.
inline constexpr std::array<handwriting, 8> seen_hands{{{2, 0.5},
                                                        {2.4, 0.45, true},
                                                        {1.8, 0.55, false, true},
                                                        {3, 0.5, false, false, true},
                                                        {2, 0.6, true, false, false, true},
                                                        {2.5, 0.4, false, true, true},
                                                        {3.5, 0.55, true, true, false, true},
                                                        {2.2, 0.5, false, false, true, true}}};
inline constexpr std::array<handwriting, 3> unseen_hands{
    {{2.8, 0.58, true, true, true}, {1.9, 0.42, false, false, false, true}, {4, 0.48, true, false, true, true}}};

/// So many digits of hands, with what each is.
inline ane::weight_store draw_digits(std::span<const handwriting> hands, int count, std::uint64_t seed) {
    random_numbers random(seed);
    std::vector<float> images(static_cast<std::size_t>(count) * digit_side * digit_side);
    std::vector<float> labels;
    for (int i = 0; i < count; ++i) {
        labels.push_back(static_cast<float>(i % 10));
        draw_digit(i % 10, hands[static_cast<std::size_t>(random.below(static_cast<int>(hands.size())))], random,
                   images.data() + static_cast<std::size_t>(i) * digit_side * digit_side);
    }
    ane::weight_store data;
    data.add("image", {count, 1, digit_side, digit_side}, images);
    data.add("wanted", {count}, labels);
    return data;
}
