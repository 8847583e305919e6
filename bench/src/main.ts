import { benchConfirm } from './bench-confirm.ts'
import { benchLists } from './bench-lists.ts'
import { benchPresign } from './bench-presign.ts'
import { benchStoreCalls } from './bench-store-calls.ts'
import { benchDeliveries } from './deliveries/bench-deliveries.ts'
import { benchGateway } from './gateway/bench-gateway.ts'
import { benchTelemetry } from './gateway/bench-telemetry.ts'
import { benchIpfs } from './ipfs/bench-ipfs.ts'
import { benchLinks } from './links/bench-links.ts'
import { benchArchive } from './many/bench-archive.ts'
import { benchMoves } from './many/bench-moves.ts'
import { benchMigrations } from './migrations/bench-migrations.ts'
import { benchNews } from './news/bench-news.ts'
import { benchReads } from './reads/bench-reads.ts'
import { benchRest } from './rest/bench-rest.ts'
import { benchIndexes } from './rows/bench-indexes.ts'
import { benchRows } from './rows/bench-rows.ts'
import { benchSizing } from './sizing/bench-sizing.ts'
import { benchSlowClients } from './stalled-readers/bench-slow-clients.ts'
import { benchStalledReaders } from './stalled-readers/bench-stalled-readers.ts'
import { benchStatements } from './statements/bench-statements.ts'
import { benchSync } from './sync/bench-sync.ts'
import { type BenchOptions, parseBenchOptions } from './system/options.ts'
import { benchLadder } from './uploads/bench-ladder.ts'
import { benchUploads } from './uploads/bench-uploads.ts'
import { benchWebhooks } from './webhooks/bench-webhooks.ts'

const benches: Record<string, (options: BenchOptions) => Promise<void>> = {
  lists: benchLists,
  confirm: benchConfirm,
  presign: benchPresign,
  'store-calls': benchStoreCalls,
  gateway: benchGateway,
  telemetry: benchTelemetry,
  deliveries: benchDeliveries,
  'stalled-readers': benchStalledReaders,
  'slow-clients': benchSlowClients,
  news: benchNews,
  migrations: benchMigrations,
  rows: benchRows,
  indexes: benchIndexes,
  sizing: benchSizing,
  statements: benchStatements,
  uploads: benchUploads,
  ladder: benchLadder,
  sync: benchSync,
  reads: benchReads,
  links: benchLinks,
  webhooks: benchWebhooks,
  rest: benchRest,
  ipfs: benchIpfs,
  moves: benchMoves,
  archive: benchArchive,
}

const [name = '', ...args] = process.argv.slice(2)
const bench = benches[name]
if (bench === undefined) {
  console.error(`npm run bench -- NAME, where NAME is one of: ${Object.keys(benches).join(', ')}`)
  process.exitCode = 2
} else {
  await bench(parseBenchOptions(args))
}
