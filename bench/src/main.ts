import { benchFirstFile } from './first-file/bench-first-file.ts'
import { benchLists } from './lists/bench-lists.ts'
import { benchReads } from './reads/bench-reads.ts'
import { benchRest } from './rest/bench-rest.ts'
import { benchS3 } from './s3/bench-s3.ts'
import { benchSizing } from './sizing/bench-sizing.ts'
import { benchSync } from './sync/bench-sync.ts'
import { type BenchOptions, parseBenchOptions } from './system/options.ts'
import { benchLadder } from './uploads/bench-ladder.ts'
import { benchWebhooks } from './webhooks/bench-webhooks.ts'

const benches: Record<string, (options: BenchOptions) => Promise<void>> = {
  lists: benchLists,
  sizing: benchSizing,
  ladder: benchLadder,
  s3: benchS3,
  sync: benchSync,
  reads: benchReads,
  webhooks: benchWebhooks,
  rest: benchRest,
  'first-file': benchFirstFile,
}

const [name = '', ...args] = process.argv.slice(2)
const bench = benches[name]
if (bench === undefined) {
  console.error(`npm run bench -- NAME, where NAME is one of: ${Object.keys(benches).join(', ')}`)
  process.exitCode = 2
} else {
  await bench(parseBenchOptions(args))
}
