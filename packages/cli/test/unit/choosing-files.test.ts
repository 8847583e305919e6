import { withSeed } from '@tideport/testing/with-seed'
import { describe, expect, it } from 'vitest'
import { nameCodec } from '../../src/local/encode-names.ts'
import { filterOf } from '../../src/local/filter.ts'
import { UsageError } from '../../src/terminal/failures.ts'
import { openPace, parseRate } from '../../src/transfer/pace.ts'

const names = ['a.txt', 'a.tmp', 'keep.tmp', 'build/x', 'docs/build/x', 'docs/a.txt', 'docs/deep/b.txt', 'Übung.txt', 'A.TXT', '#x', '!y'] // biome-ignore format: a list
const excluded = (rules: string, platform: NodeJS.Platform = 'linux') => {
  const given = rules.split(' ').map((rule) => [rule[0] === '+' ? 'include' : 'exclude', rule.slice(1)] as const)
  const isExcluded = filterOf(given, [], platform)
  return names.filter((name) => isExcluded(name, false))
}

describe('rules for files', () => {
  it.each([
    ['-*.tmp', ['a.tmp', 'keep.tmp']],
    ['-*.tmp +keep.tmp', ['a.tmp']],
    ['+keep.tmp -*.tmp', names],
    ['+*.txt', ['a.tmp', 'keep.tmp', 'build/x', 'docs/build/x', 'A.TXT', '#x', '!y']],
    ['+docs/ -*.txt', names.filter((name) => name !== 'docs/build/x')],
    ['-build/', ['build/x', 'docs/build/x']],
    ['-/build/', ['build/x']],
    ['-docs/build', ['docs/build/x']],
    ['-docs/** +docs/a.txt', ['docs/build/x', 'docs/deep/b.txt']],
    ['-**/b.txt', ['docs/deep/b.txt']],
    ['-docs/**/b.txt', ['docs/deep/b.txt']],
    // What is in an excluded folder cannot be included.
    ['-docs/ +docs/a.txt', ['docs/build/x', 'docs/a.txt', 'docs/deep/b.txt']],
    ['-U\u0308bung.txt', ['Übung.txt']],
    ['-a.txt/', []],
    ['-#x -!y', ['#x', '!y']],
    ['-[ab].txt', ['a.txt', 'docs/a.txt', 'docs/deep/b.txt']],
  ])('%s', (rules, expected) => expect(excluded(rules)).toEqual(expected))

  it('separate folders by backslashes on Windows alone', () => {
    expect(excluded('-docs\\deep\\', 'win32')).toEqual(['docs/deep/b.txt'])
    expect(excluded('-docs\\deep\\')).toEqual([])
  })

  it('of an ignore file come before those of the line, and a line there may include again', () => {
    const isExcluded = filterOf([['include', 'a.log']], ['# logs', '*.log', '!b.log', ''], 'linux')
    expect(['a.log', 'b.log', 'c.log'].map((name) => isExcluded(name, false))).toEqual([false, false, true])
    const line = filterOf([['exclude', 'b.log']], ['!b.log', '/c'], 'linux')
    expect(['b.log', 'c', 'd/c'].map((name) => line(name, false))).toEqual([true, true, false])
  })

  it('are no empty patterns', () => expect(() => filterOf([['exclude', ' ']], [])).toThrow(UsageError))
})

describe('a rate', () => {
  it.each([
    ['500K', 512_000],
    ['2M', 2_097_152],
    ['1.5m', 1_572_864],
    ['1KiB', 1024],
    ['4096', 4096],
    ['4096B', 4096],
    ['1G', 1024 ** 3],
  ])(
    // biome-ignore format: a list
    '%s is %i bytes per second',
    (text, rate) => expect(parseRate(text)).toBe(rate),
  )

  it.each(['', '0', '-1M', '1X', 'K', '1e6', '100', 'NaN'])('is not %j', (text) => {
    expect(() => parseRate(text)).toThrow(UsageError)
  })

  it('is that of all who take, and a stop ends the wait', async () => {
    const pace = openPace('100K')
    const stop = new AbortController()
    const begun = performance.now()
    await Promise.all([1, 2, 3, 4].map(() => pace?.take(10_240, stop.signal)))
    expect(performance.now() - begun).toBeGreaterThan(390)
    const waiting = pace?.take(1e9, stop.signal)
    stop.abort(new Error('stopped'))
    await expect(waiting).rejects.toThrow('stopped')
  })
})

describe('an encoded name', () => {
  const service = { toForeign: 'toService', toOwn: 'toLocal', isBad: /[\p{Cc}\\]/u } as const
  const windows = {
    toForeign: 'toLocal',
    toOwn: 'toService',
    isBad: /[<>:"|?*\\]|[. ]$|^(con|nul)(\.|$)/i,
  } as const
  it.each([
    ['linux', 'a\\b', 'a＼b'],
    ['linux', 'a\x07\x7f\x85', 'a␇␡\ue085'],
    ['linux', 'a＼b', 'a‛＼b'],
    ['linux', '‛\\', '‛‛＼'],
    ['linux', '写真（１）.jpg', '写真（１）.jpg'],
  ] as const)('on %s: %j is %j to the service', (platform, local, there) => {
    const codec = nameCodec(platform)
    expect([codec.toService(local), codec.toLocal(there)]).toEqual([there, local])
  })

  it.each([
    ['a:b', 'a：b'],
    ['CON.txt', '‛CON.txt'],
    ['end.', 'end.‛'],
    ['a：b', 'a‛：b'],
  ])('of the service: %j is %j on Windows', (there, local) => {
    const codec = nameCodec('win32')
    expect([codec.toLocal(there), codec.toService(local)]).toEqual([local, there])
  })

  it('in pieces of 255 bytes at most is one name again', () => {
    for (const [name, count] of [
      ['x'.repeat(765), 4],
      ['日'.repeat(255), 4],
      ['x'.repeat(256), 2],
      ['x'.repeat(255), 1],
    ] as const) {
      // biome-ignore format: a list
      const codec = nameCodec('linux')
      const pieces = codec.toLocal(`in/${name}/b`).split('/')
      expect(pieces).toHaveLength(count + 2)
      expect(pieces.every((piece) => Buffer.byteLength(piece) <= 255)).toBe(true)
      expect(codec.toService(`in/${name.slice(0, 3)}`)).toBe(`in/${name.slice(0, 3)}`)
    }
  })

  it.each([
    ['linux', service],
    ['win32', windows],
  ] as const)('on %s can be kept, is like no other, and is read back', (platform, { toForeign, toOwn, isBad }) =>
    withSeed(async (random) => {
      const codec = nameCodec(platform)
      const letters = [
        '‛',
        '＼',
        '\\',
        '\x01',
        '\x7f',
        '\x85',
        '␁',
        '␡',
        '\ue085',
        '.',
        ' ',
        'CON',
        ':',
        '：',
        'é',
        '\u0327',
        'a',
        'b',
      ].filter((one) => toForeign === 'toService' || !/[\p{Cc}\\]/u.test(one))
      const seen = new Map<string, string>()
      for (let left = 20_000; left > 0; left--) {
        const length = 1 + Math.floor(random() * 6)
        const name = Array.from({ length }, () => letters[Math.floor(random() * letters.length)]).join('').normalize('NFC') // biome-ignore format: one chain
        if (/^\.{1,2}‛*$/.test(name)) continue
        const encoded = codec[toForeign](name)
        expect(encoded, name).not.toMatch(isBad)
        expect(encoded.normalize('NFC')).toBe(encoded)
        expect(codec[toOwn](encoded)).toBe(name)
        expect(seen.get(encoded) ?? name).toBe(name)
        seen.set(encoded, name)
      }
    }),
  )
})
