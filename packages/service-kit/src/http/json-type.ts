import { MIMEType } from 'node:util'

/** Whether a body of this `Content-Type` is JSON in UTF-8, the only charset there is for it (RFC 8259 §8.1). */
export function isUtf8Json(contentType = ''): boolean {
  try {
    const { essence, params } = new MIMEType(contentType)
    return essence === 'application/json' && /^utf-?8$/i.test(params.get('charset') ?? 'utf-8')
  } catch {
    return false
  }
}
