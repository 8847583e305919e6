import { describe, expect, it } from 'vitest'
import { boundaryOf, firstFile } from '../../src/links/form-file.ts'
import { ownName } from '../../src/links/receive-file.ts'

const part = (head: string, bytes: string) => `--x\r\n${head}\r\n\r\n${bytes}\r\n`
const file = (name: string, bytes: string, type = 'text/plain') =>
  part(`Content-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}`, bytes)
const firstOf = (body: string) => {
  const found = firstFile(Buffer.from(body), 'x')
  return found && [found.name, found.mimeType, found.bytes.toString()]
}

describe('the first file of a form', () => {
  it('is found behind fields, with its name, type and every byte', () => {
    const field = part('Content-Disposition: form-data; name="note"', 'hello')
    expect(firstOf(`${field}${file('é.txt', 'a\r\n--\r\nb')}--x--\r\n`)).toEqual([
      'é.txt',
      'text/plain',
      'a\r\n--\r\nb',
    ])
    expect(firstOf(`preamble\r\n${file('empty', '')}--x--`)).toEqual(['empty', 'text/plain', ''])
    expect(firstOf(`${file('a', '1')}${file('b', '2')}--x--`)).toEqual(['a', 'text/plain', '1'])
  })

  it('has the name that was meant, whoever wrote it, and no path', () => {
    for (const [written, name] of [
      ['a%22b.txt', 'a"b.txt'],
      ['a\\"b.txt', 'a"b.txt'],
      ['C:\\fakepath\\a.txt', 'a.txt'],
      ['../../etc/passwd', 'passwd'],
      ['', ''],
    ] as const) {
      expect(firstOf(`${file(written, 'x')}--x--`)?.[0], written).toBe(name)
    }
  })

  it('is null where there is none, or the body breaks off or is nonsense', () => {
    const whole = `${file('a', 'bytes')}--x--`
    for (const body of ['', '--x', '--x--', 'x', '--x\r\n', part('Content-Disposition: form-data; name="a"', '1')]) {
      expect(firstOf(body), body).toBeNull()
    }
    for (let length = 0; length < whole.indexOf('\r\n--x--'); length += 1) {
      expect(firstOf(whole.slice(0, length)), String(length)).toBeNull()
    }
    expect(firstOf(`--x\r\n${'A: b\r\n'.repeat(5000)}\r\n1\r\n--x--`)).toBeNull()
    expect(firstOf(`--y\r\nContent-Disposition: form-data; filename="a"\r\n\r\n1\r\n--y--`)).toBeNull()
  })

  it('is looked for among the first hundred parts', () => {
    const fields = (count: number) => part('Content-Disposition: form-data; name="a"', '1').repeat(count)
    expect(firstOf(`${fields(99)}${file('b', '2')}--x--`)?.[0]).toBe('b')
    expect(firstOf(`${fields(100)}${file('b', '2')}--x--`)).toBeNull()
  })

  it('needs a boundary', () => {
    expect(boundaryOf('multipart/form-data; boundary=x')).toBe('x')
    for (const type of [
      'multipart/form-data',
      'text/plain; boundary=x',
      '',
      `multipart/form-data; boundary=${'x'.repeat(71)}`,
    ])
      expect(boundaryOf(type)).toBeNull()
  })
})

it('a file that is sent has a name of its own, which fits', () => {
  const id = '01980d2e-5d5c-7c9b-8e57-3f3a5c1d2e4f'
  expect(ownName('report.pdf', id)).toBe('report-3f3a5c1d2e4f.pdf')
  expect(ownName('.hidden', id)).toBe('.hidden-3f3a5c1d2e4f')
  expect(ownName('no extension', id)).toBe('no extension-3f3a5c1d2e4f')
  for (const name of ['x'.repeat(255), '🗂'.repeat(200), `a.${'x'.repeat(200)}`]) {
    const own = ownName(name, id)
    expect(Buffer.byteLength(own)).toBeLessThanOrEqual(255)
    expect(own.isWellFormed()).toBe(true)
  }
})
