"""Counts the words of a text as words.c does, with the same fault: find() walks along a list of all words so far."""

import sys

WORDS_MAX = 800


def next_word(state):
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    random = state >> 33
    rank = random % WORDS_MAX * (random // WORDS_MAX % WORDS_MAX) // WORDS_MAX
    letters = ""
    while rank or not letters:
        letters += "bdfklmnprstv"[rank % 12] + "aeiou"[rank // 12 % 5]
        rank //= 60
    return state, letters


def find(words, word):
    for entry in words:
        if entry[0] == word:
            return entry
    words.append([word, 0])
    return words[-1]


def count(n):
    words, state = [], 1
    for _ in range(n):
        state, word = next_word(state)
        find(words, word)[1] += 1
    return words


def main():
    words = count(int(sys.argv[1]) if len(sys.argv) > 1 else 120000)
    for word, times in sorted(words, key=lambda entry: -entry[1])[:5]:
        print(f"{times:6} {word}")


main()
