// Stores, reads, and proves a large file. Prints the peak growth of the process in bytes.
import { openStorageNetwork } from '../../src/open-network.ts'
import { patternBytes } from './pattern-bytes.ts'

const [config = '', sizeBytes = ''] = process.argv.slice(2)
const network = await openStorageNetwork(JSON.parse(config), { installationId: async () => 'test-installation' })
const { signal } = new AbortController()
const reference = 'large'

const before = process.memoryUsage.rss()
let peak = before
/** Linux includes the parent's memory before the start in the maximum of a process, so the peak is measured here. */
async function* watched<Piece>(pieces: AsyncIterable<Piece>) {
  for await (const piece of pieces) {
    peak = Math.max(peak, process.memoryUsage.rss())
    yield piece
  }
}

await using staged = await network.stage(watched(patternBytes(Number(sizeBytes))), { reference, signal })
const { ref = staged.ref } = await staged.commit()
const copy = { blobId: staged.blobId, reference, ref }
let readBytes = 0
for await (const piece of watched(await network.open(copy, { signal }))) readBytes += piece.length
const proof = await network.prove(copy, staged, signal)
const grownBytes = Math.max(peak, process.memoryUsage.rss()) - before
process.stdout.write(JSON.stringify({ readBytes, proof, grownBytes }))
