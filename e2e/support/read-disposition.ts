import { finished } from 'node:stream/promises'
import busboy from 'busboy'

/**
 * The type and file name of a `Content-Disposition`, as a parser reads them that has nothing to do with how the service
 * writes them. It is one of forms, where the header stands in front of each part.
 */
export async function readDisposition(header: string): Promise<{ type: string; name: string | undefined }> {
  const type = /^[a-z]+/.exec(header)?.[0] ?? ''
  const form = busboy({ headers: { 'content-type': 'multipart/form-data; boundary=next' }, preservePath: true })
  let name: string | undefined
  form.on('file', (_field, content, info) => {
    name = info.filename
    content.resume()
  })
  const part = `Content-Disposition: form-data; name=file${header.slice(type.length)}`
  form.end(`--next\r\n${part}\r\n\r\n\r\n--next--\r\n`)
  await finished(form)
  return { type, name }
}
