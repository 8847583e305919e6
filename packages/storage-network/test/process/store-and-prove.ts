// Stores, reads and proves a large file; prints by how much the process grew at its peak, in bytes.
import { openDirectory } from '../embedded-directory.ts'
import { patternBytes } from './pattern-bytes.ts'

const [dir = '', sizeBytes = ''] = process.argv.slice(2)
const network = openDirectory(dir)
const { signal } = new AbortController()
const reference = 'large'

const before = process.memoryUsage.rss()
let peak = before
/** Linux counts what its parent had before it began as a process's own maximum: so we look ourselves. */
async function* watched<Piece>(pieces: AsyncIterable<Piece>) {
  for await (const piece of pieces) {
    peak = Math.max(peak, process.memoryUsage.rss())
    yield piece
  }
}

await using staged = await network.stage(watched(patternBytes(Number(sizeBytes))), { reference, signal })
await staged.commit()
const copy = { blobId: staged.blobId, reference, ref: staged.ref }
let readBytes = 0
for await (const piece of watched(await network.open(copy, { signal }))) readBytes += piece.length
const proof = await network.prove(copy, staged, signal)
const grownBytes = Math.max(peak, process.memoryUsage.rss()) - before
process.stdout.write(JSON.stringify({ readBytes, proof, grownBytes }))
