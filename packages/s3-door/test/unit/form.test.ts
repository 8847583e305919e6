import { describe, expect, it } from 'vitest'
import { keyOfForm, readForm } from '../../src/body/form.ts'
import { pieces, readAll } from '../reading.ts'

const CONTENT_TYPE = 'multipart/form-data; boundary="--b"'
const field = (name: string, value: string) =>
  `----b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const file = (bytes: string, filename = 'a.txt') =>
  `----b\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\nContent-Type: text/plain\r\n\r\n${bytes}\r\n`
const END = '----b--\r\n'

const read = (body: string, size = body.length, contentLength = body.length) =>
  readForm(pieces(body, size), { contentType: CONTENT_TYPE, contentLength })

describe('a form', () => {
  it('is read in pieces of any size, up to its file', async () => {
    const bytes = 'one\r\n----bc\r\n----\r\ntwo\r\n'
    const body = `${field('Key', `a/\${filename}`)}${field('x-amz-meta-A', '1')}${field('x-amz-meta-a', 'Ã¤\r\n2')}${file(bytes, 'C:\\\\x\\\\%22.txt')}${field('acl', 'late')}${END}trailing text`
    for (const size of [1, 2, 3, 17, body.length]) {
      const form = await read(body, size)
      expect(Object.fromEntries(form.fields)).toEqual({ key: `a/\${filename}`, 'x-amz-meta-a': '1,ä\r\n2' })
      expect(form).toMatchObject({ fileName: '".txt', contentType: 'text/plain' })
      const opened = await form.openFile()
      expect(opened.sizeBytes).toBe(bytes.length)
      expect(await readAll(opened.bytes)).toBe(bytes)
      expect(keyOfForm(form)).toBe('a/".txt')
    }
  })

  it('with a large file states its size before the file is read, and must keep to it', async () => {
    const bytes = '\r\n--'.repeat(500_000)
    const body = `${field('key', 'a')}${file(bytes)}${END}`
    const form = await (await read(body, 60_000)).openFile()
    expect(form.sizeBytes).toBe(bytes.length)
    expect(await readAll(form.bytes)).toBe(bytes)
    const longer = await read(`${body}${' '.repeat(9)}`, 60_000)
    const cut = await read(body.slice(0, -9), 60_000, body.length)
    for (const wrong of [longer, cut]) {
      const file = await wrong.openFile()
      let taken = 0
      const readFile = async () => {
        for await (const chunk of file.bytes) taken += chunk.length
      }
      await expect(readFile()).rejects.toMatchObject({ code: 'MalformedPOSTRequest' })
      expect(taken).toBeLessThan(file.sizeBytes)
    }
  })

  it.each([
    ['has no boundary first', `x\r\n${file('')}${END}`, 'MalformedPOSTRequest'],
    ['has no end', `${field('key', 'a')}${file('bytes')}`, 'MalformedPOSTRequest'],
    ['has no file', `${field('key', 'a')}${END}`, 'InvalidArgument'],
    ['has a field of two names', file('').replace('name="file"', 'name="a"; name="file"'), 'MalformedPOSTRequest'],
    ['has a part without a name', file('').replace('name="file"; ', ''), 'MalformedPOSTRequest'],
    ['has an unclosed quotation', file('').replace('"file"', '"file'), 'MalformedPOSTRequest'],
    ['has a folded header', file('').replace('form-data; ', 'form-data;\r\n '), 'MalformedPOSTRequest'],
    ['ends within its headers', '----b\r\nContent-Disp', 'MalformedPOSTRequest'],
    ['has a long field', `${field('key', 'a'.repeat(21_000))}${file('')}${END}`, 'MaxPostPreDataLengthExceededError'],
    ['has many fields', `${field('a', 'b').repeat(500)}${file('')}${END}`, 'MaxPostPreDataLengthExceededError'],
  ])('that %s is refused', async (_, body, code) => {
    for (const size of [1, body.length]) {
      const opened = read(body, size).then((form) => form.openFile())
      await expect(opened).rejects.toMatchObject({ code })
    }
  })

  it('needs a content type with a boundary, and a length', async () => {
    const open = (contentType: string | undefined, contentLength?: number) =>
      readForm(pieces(END, 9), { contentType, contentLength })
    await expect(open('application/json', 9)).rejects.toMatchObject({ code: 'PreconditionFailed' })
    await expect(open('multipart/form-data', 9)).rejects.toMatchObject({ code: 'MalformedPOSTRequest' })
    await expect(open(CONTENT_TYPE)).rejects.toMatchObject({ code: 'MissingContentLength' })
    await expect(read(`${file('')}${END}`).then(keyOfForm)).rejects.toMatchObject({ code: 'InvalidArgument' })
  })
})
