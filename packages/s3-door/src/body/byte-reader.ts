import { S3Error } from '../errors.ts'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const EMPTY = Buffer.alloc(0)

/** Reads a body by lines and by counts. It keeps at most one received chunk and one line. */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>
  #chunk: Buffer = EMPTY
  #taken = 0

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** The number of bytes read so far. */
  get taken(): number {
    return this.#taken
  }

  /** Between 1 and `max` bytes; undefined at the end. */
  async some(max: number): Promise<Buffer | undefined> {
    if (await this.isAtEnd()) return undefined
    const bytes = this.#chunk.subarray(0, max)
    this.#advance(bytes.length)
    return bytes
  }

  async isAtEnd(): Promise<boolean> {
    return this.#chunk.length === 0 && !(await this.#next())
  }

  /** A line without its CRLF. A longer line than `max` bytes and a body without CRLF are incomplete. */
  async line(max: number): Promise<string> {
    let line = ''
    for (;;) {
      if (await this.isAtEnd()) throw new S3Error('IncompleteBody')
      const end = this.#endOfLine(line)
      if (end !== undefined) {
        line += this.#take(end)
        if (line.length - 2 > max) throw new S3Error('IncompleteBody')
        return line.slice(0, -2)
      }
      if (line.length + this.#chunk.length > max + 1) throw new S3Error('IncompleteBody')
      line += this.#take(this.#chunk.length)
    }
  }

  /** The number of bytes up to and including the next CRLF, which may have begun in the part of the line before. */
  #endOfLine(before: string): number | undefined {
    const chunk = this.#chunk
    if (before.endsWith('\r') && chunk[0] === LINE_FEED) return 1
    for (let at = chunk.indexOf(LINE_FEED, 1); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) {
      if (chunk[at - 1] === CARRIAGE_RETURN) return at + 1
    }
    return undefined
  }

  #take(length: number): string {
    const text = this.#chunk.toString('latin1', 0, length)
    this.#advance(length)
    return text
  }

  #advance(length: number): void {
    this.#chunk = this.#chunk.subarray(length)
    this.#taken += length
  }

  async #next(): Promise<boolean> {
    for (;;) {
      const { done, value } = await this.#source.next()
      if (done === true) return false
      if (value.length > 0) {
        this.#chunk = value
        return true
      }
    }
  }
}
