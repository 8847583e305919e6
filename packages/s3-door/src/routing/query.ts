import { S3Error } from '../errors.ts'

/** The decoded query. A parameter without `=` has an empty value. */
export class Query {
  readonly #values = new Map<string, string>()

  constructor(text: string) {
    for (const pair of text.split('&')) {
      if (pair === '') continue
      const end = pair.indexOf('=')
      const name = decodePart(end < 0 ? pair : pair.slice(0, end))
      // S3 reads the first of several.
      if (!this.#values.has(name)) this.#values.set(name, end < 0 ? '' : decodePart(pair.slice(end + 1)))
    }
  }

  has(name: string): boolean {
    return this.#values.has(name)
  }

  get(name: string): string | undefined {
    return this.#values.get(name)
  }

  names(): Iterable<string> {
    return this.#values.keys()
  }
}

function decodePart(text: string): string {
  return decodeUtf8(text.replaceAll('+', ' '))
}

/** Percent-decodes to well-formed UTF-8. Throws `InvalidURI`. */
export function decodeUtf8(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new S3Error('InvalidURI')
  }
}
