import { Agent, request } from 'undici'
import type { AddressGuard } from './address-guard.ts'
import { createGuardedConnector, type Resolve } from './guarded-connector.ts'

interface PublicFileOptions {
  allows: AddressGuard
  resolve: Resolve
  /** Covers everything up to the last byte. */
  timeoutMs: number
  bytesMax: number
}

/**
 * The text of a small file. The request contains nothing about this installation. Throws for another status than 200,
 * such as a redirect, and for a larger file.
 */
export async function readPublicFile(
  url: string,
  { allows, resolve, timeoutMs, bytesMax }: PublicFileOptions,
  stop: AbortSignal,
): Promise<string> {
  const agent = new Agent({ connect: createGuardedConnector({ allows, resolve, timeoutMs }) })
  try {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)])
    const answer = await request(url, { dispatcher: agent, signal, headers: { accept: 'application/json' } })
    if (answer.statusCode !== 200) throw new Error(`HTTP status ${answer.statusCode}`)
    const chunks: Buffer[] = []
    let readBytes = 0
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      readBytes += chunk.length
      if (readBytes > bytesMax) throw new Error(`The file is larger than ${bytesMax} bytes`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString()
  } finally {
    await agent.destroy()
  }
}
