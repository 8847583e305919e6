import { withSeed } from '@tideport/testing/with-seed'
import { describe, expect, it } from 'vitest'
import { nameCodec } from '../../src/local/encode-names.ts'
import { filterOf } from '../../src/local/filter.ts'
import { localPath } from '../../src/local/local-path.ts'
import { UsageError } from '../../src/terminal/failures.ts'
import { openPace, parseRate } from '../../src/transfer/bandwidth-limit.ts'

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
    // A file in an excluded folder cannot be included.
    ['-docs/ +docs/a.txt', ['docs/build/x', 'docs/a.txt', 'docs/deep/b.txt']],
    ['-U\u0308bung.txt', ['Übung.txt']],
    ['-a.txt/', []],
    ['-#x -!y', ['#x', '!y']],
    ['-[ab].txt', ['a.txt', 'docs/a.txt', 'docs/deep/b.txt']],
  ])('%s', (rules, expected) => expect(excluded(rules)).toEqual(expected))

  it('treats backslashes as separators only on Windows', () => {
    expect(excluded('-docs\\deep\\', 'win32')).toEqual(['docs/deep/b.txt'])
    expect(excluded('-docs\\deep\\')).toEqual([])
  })

  it('applies command-line rules after those of the ignore file, and lets them include files again', () => {
    const isExcluded = filterOf([['include', 'a.log']], ['# logs', '*.log', '!b.log', ''], 'linux')
    expect(['a.log', 'b.log', 'c.log'].map((name) => isExcluded(name, false))).toEqual([false, false, true])
    const line = filterOf([['exclude', 'b.log']], ['!b.log', '/c'], 'linux')
    expect(['b.log', 'c', 'd/c'].map((name) => line(name, false))).toEqual([true, true, false])
  })

  it.each([' ', '[!a]y', 'x[^a]', '[[:alpha:]]'])('rejects the pattern %j', (pattern) => {
    expect(() => filterOf([['exclude', pattern]], [])).toThrow(UsageError)
  })

  it.each(['[ab]y', '\\[!a]y', '!kept'])('accepts the pattern %j', (pattern) => {
    expect(() => filterOf([['exclude', pattern]], [])).not.toThrow()
  })
})

describe('a rate limit', () => {
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

  it.each(['', '0', '-1M', '1X', 'K', '1e6', '100', 'NaN'])('rejects %j', (text) => {
    expect(() => parseRate(text)).toThrow(UsageError)
  })

  it('is shared by all transfers, and an abort ends the wait', async () => {
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
  it.each([
    ['linux', 'a\\b', 'a＼b'],
    ['linux', 'a\x07\x7f\x85', 'a␇␡\ue085'],
    ['linux', 'a＼b', 'a‛＼b'],
    ['linux', '‛\\', '‛‛＼'],
    ['linux', '写真（１）.jpg', '写真（１）.jpg'],
  ] as const)('on %s, encodes %j as %j for the service', (platform, local, there) => {
    const codec = nameCodec(platform)
    expect([codec.toService(local), codec.toLocal(there)]).toEqual([there, local])
  })

  it.each([
    ['a:b', 'a：b'],
    ['CON.txt', '‛CON.txt'],
    ['end.', 'end.‛'],
    ['a：b', 'a‛：b'],
  ])('encodes %j of the service as %j on Windows', (there, local) => {
    const codec = nameCodec('win32')
    expect([codec.toLocal(there), codec.toService(local)]).toEqual([local, there])
  })

  // The disk and the service reject different names. Each encoded name must decode to the original.
  const letters = ['‛', '＼', '␀', '␁', '␡', '\ue085', '：', '＜', '＋', '＝', '－', '.', ' ', 'con', 'é', 'a', '\u0327', '\u0338', '日', '😀'] // biome-ignore format: a list
  const lettersOf = {
    service: [...letters, ':', '<', '?'],
    linux: [...letters, ':', '<', '?', '\\', '\x01', '\x7f', '\x85'],
    win32: [...letters, '\x7f', '\x85'],
  }
  const bytesOf = (part: string) => Buffer.byteLength(part)
  const isKept = {
    service: (path: string, folder: string) => !/[\p{Cc}\\]/u.test(path) && path.split('/').every((part) => !/^\.{0,2}$/.test(part) && (bytesOf(part) <= 255 || (folder + path === part && [...part].length <= 255))), // biome-ignore format: one condition
    linux: (path: string) => localPath('/', path, 'linux') !== '' && path.split('/').every((part) => bytesOf(part) <= 255), // biome-ignore format: one condition
    win32: (path: string) => localPath('/', path, 'win32') !== '' && path.split('/').every((part) => part.length <= 255), // biome-ignore format: one condition
  }
  const isOf = (...[side, path, folder]: [keyof typeof isKept, string, string]) => {
    try {
      return isKept[side](path, folder)
    } catch {
      return false
    }
  }

  it.each(
    (['linux', 'win32'] as const).flatMap((platform) => ['', 'box'].map((folder) => [platform, folder] as const)),
  )('decodes to the original on %s, and is unique below "%s"', (platform, folder) =>
    withSeed(async (random) => {
      const codec = nameCodec(platform, folder)
      const any = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
      const madeOf = (side: keyof typeof lettersOf) => {
        const part = () => Array.from({ length: 1 + random() * 6 }, () => any(lettersOf[side]).repeat(any([1, 1, 1, 1, 20, 84, 255]))).join('') // biome-ignore format: one chain
        return Array.from({ length: any([1, 1, 2]) }, part)
          .join('/')
          .normalize('NFC')
      }
      const ways = [
        ['service', platform, codec.toLocal, codec.toService],
        [platform, 'service', codec.toService, codec.toLocal],
      ] as const
      for (const [own, other, there, back] of ways) {
        const seen = new Map<string, string>()
        for (let left = 5000; left > 0; left--) {
          let name = madeOf(own)
          // The decoded form is also a name of this side, which must map to something else.
          for (let steps = 0; steps < 3 && isOf(own, name, folder); steps++) {
            const found = there(name)
            if (bytesOf(found) > 1000) break
            expect(isOf(other, found, folder), JSON.stringify([name, found])).toBe(true)
            expect(found.normalize('NFC')).toBe(found)
            expect(back(found), found).toBe(name)
            expect(seen.get(found) ?? name).toBe(name)
            seen.set(found, name)
            name = found
          }
        }
        expect(seen.size).toBeGreaterThan(1000)
      }
    }),
  )

  it.each([
    [`x${'日'.repeat(254)}`, false],
    ['日'.repeat(255), false],
    ['x'.repeat(255), true],
    ['＼'.repeat(255), true],
  ])('at the top of a vault is split if the disk cannot store it: %s', (name, isKeptWhole) => {
    const codec = nameCodec('linux')
    const pieces = codec.toLocal(name).split('/')
    expect(pieces.length === 1).toBe(isKeptWhole)
    expect(codec.toService(pieces.join('/'))).toBe(name)
    // Pieces that already exist in the service stay different.
    const other = codec.toLocal(codec.toLocal(name).replaceAll('\\', '＼'))
    expect(other === pieces.join('/')).toBe(isKeptWhole)
  })
})
