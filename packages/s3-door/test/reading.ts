/** A body that arrives in pieces of this size. */
export async function* pieces(body: string | Buffer, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(body as string, 'latin1')
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

export async function readAll(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString('latin1')
}
