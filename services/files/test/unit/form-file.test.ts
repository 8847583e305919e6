import { describe, expect, it } from 'vitest'
import { ownName } from '../../src/uploads/by-link.ts'
import { boundaryOf, firstFile } from '../../src/uploads/form-file.ts'

const part = (head: string, bytes: string) => `--x\r\n${head}\r\n\r\n${bytes}\r\n`
const file = (name: string, bytes: string, type = 'text/plain') =>
  part(`Content-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}`, bytes)
const firstOf = (body: string) => {
  const found = firstFile(Buffer.from(body), 'x')
  return found && [found.name, found.mimeType, found.bytes.toString()]
}

describe('the first file of a form', () => {
  it('is found after fields, with its name, type, and every byte', () => {
    const field = part('Content-Disposition: form-data; name="note"', 'hello')
    expect(firstOf(`${field}${file('é.txt', 'a\r\n--\r\nb')}--x--\r\n`)).toEqual([
      'é.txt',
      'text/plain',
      'a\r\n--\r\nb',
    ])
    expect(firstOf(`preamble\r\n${file('empty', '')}--x--`)).toEqual(['empty', 'text/plain', ''])
    expect(firstOf(`${file('', '')}${file('a', '1')}${file('b', '2')}--x--`)).toEqual(['a', 'text/plain', '1'])
  })

  it('has the intended name from any client, and no path', () => {
    for (const [written, name] of [
      ['a%22b.txt', 'a"b.txt'],
      ['a\\"b.txt', 'a"b.txt'],
      ['C:\\fakepath\\a.txt', 'a.txt'],
      ['../../etc/passwd', 'passwd'],
    ] as const) {
      expect(firstOf(`${file(written, 'x')}--x--`)?.[0], written).toBe(name)
    }
  })

  it.each([
    ['form-data; name=file; filename=report.txt', 'report.txt'],
    ["form-data; name=file; filename=report.txt; filename*=utf-8''report.txt", 'report.txt'],
    [`form-data; filename="=?utf-8?B?w7xiZXIudHh0?="; filename*=utf-8''%C3%BCber.txt`, 'über.txt'],
    [`form-data; filename*=UTF-8'de'%c3%bcber.txt; filename="uber.txt"; name="file"`, 'über.txt'],
    [`form-data; filename*="UTF-8''%C3%BCber%22.txt"`, 'über".txt'],
    ["form-data;filename*=iso-8859-1''%FCber.txt", 'über.txt'],
    ['FORM-DATA ; FileName = "a.txt" ; NAME=file', 'a.txt'],
    [`form-data; filename="a.txt"; filename*=UTF-8''%FF%FE`, 'a.txt'],
    [`form-data; filename*=UTF-8''%C3%; filename="a.txt"`, 'a.txt'],
    [`form-data; filename*=koi8-r''%C1; filename="a.txt"`, 'а'],
    [`form-data; filename*=none''%C1; filename="a.txt"`, 'a.txt'],
    ["form-data; filename*=none''a%20b.txt", 'a%20b.txt'],
    ["form-data; filename*=us-ascii'en'a%20b.txt", 'a b.txt'],
    ["form-data; filename*=''it's%20%C3%BC.txt", "it's ü.txt"],
    ["form-data; filename*=utf-8''über%.txt", 'über%.txt'],
    ['form-data; filename*=a.txt', 'a.txt'],
    ['form-data; filename*1="ng%20.txt"; filename*0="lo"', 'long%20.txt'],
    [`form-data; filename*0*=utf-8'de'%C3%BC; filename*1*=ber%20; filename*2="%41.txt"`, 'über %41.txt'],
    [`form-data; filename="a.txt"; filename*=nonsense`, 'a.txt'],
    [`form-data; filename*=UTF-8''..%2F..%2Fa.txt`, 'a.txt'],
    ['form-data; name="filename=b.txt"; filename="a; filename=c.txt"', 'a; filename=c.txt'],
    [String.raw`form-data; name="a\\"; filename="x\\y\"z.txt"`, 'y"z.txt'],
    ['form-data; filename="a%0D%0Ab%20c.txt"', 'a\r\nb%20c.txt'],
    ['form-data; name=file; filename==?utf-8?B?w7xiZXIudHh0?=', 'über.txt'],
    ['form-data; filename="=?ISO-8859-1?q?=FCber_=61?= =?utf-8*de?Q?=E2=82=AC.txt?="', 'über a€.txt'],
    [
      'form-data; filename="=?windows-1251?B?5A==?= 1 =?none?B?5A==?= =?utf-8?B?gA==?="',
      'д 1 =?none?B?5A==?= =?utf-8?B?gA==?=',
    ],
    ['form-data;\r\n name="file";\r\n\tfilename="a.txt"', 'a.txt'],
    ['form-data; name=file; filename=über.txt', 'über.txt'],
  ])('is named by %j', (disposition, name) => {
    const [found, type] =
      firstOf(`${part(`content-disposition:${disposition}\r\nContent-Type:\r\n text/csv`, '')}--x--`) ?? []
    expect([found, type]).toEqual([name, 'text/csv'])
  })

  it('has a Latin-1 name if its header is not UTF-8', () => {
    const body = Buffer.from(`${file('über.txt', 'x')}--x--`, 'latin1')
    expect(firstFile(body, 'x')?.name).toBe('über.txt')
  })

  it.each([
    'form-data; name=filename',
    'form-data; name="a; filename=b"',
    'filename=a',
    `form-data; xfilename="a"`,
    'attachment; filename=',
    'form-data; filename="a/"',
  ])('is never a part with %j', (disposition) =>
    expect(firstOf(`${part(`Content-Disposition: ${disposition}`, '')}--x--`)).toBeNull(),
  )

  it('is null for a form without a file, and for a truncated or invalid body', () => {
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

  it('is found only among the first hundred parts', () => {
    const fields = (count: number) => part('Content-Disposition: form-data; name="a"', '1').repeat(count)
    expect(firstOf(`${fields(99)}${file('b', '2')}--x--`)?.[0]).toBe('b')
    expect(firstOf(`${fields(100)}${file('b', '2')}--x--`)).toBeNull()
  })

  it('requires a boundary', () => {
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

it('a file that a visitor sends gets a separate name of at most 255 bytes', () => {
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
