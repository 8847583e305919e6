import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const everything = [
  'packages/{contracts,service-kit,s3-client,hot-tier,file-lifecycle,bulk-jobs,export,repair,storage-network}/src/**/*.ts',
  'services/*/src/**/*.ts',
]
const lists = [
  'services/*/src/**/{list,search,find}-*.ts',
  'services/*/src/**/*page*.ts',
  'services/*/src/**/routes.ts',
]
const migrations = ['{packages,services}/*/migrations/*.sql']

/** Each was measured to cost a multiple of what is there instead (ADR 0035), and is easily written again. */
const rules = [
  {
    rule: 'bytes flow through Node streams: web streams do not hold a fast sender back',
    files: everything,
    broken: /\b(?:Readable|Writable|Transform)Stream\b|\b(?:from|to)Web\b|node:stream\/web|(?<![\w.])fetch\(/,
    example: 'await fetch(url)',
  },
  {
    rule: 'names that others choose are not looked up on a thread, of which there are four',
    files: ['services/webhooks/src/**/*.ts'],
    broken: /^import (?!type)[^'`]*\blookup\b[^'`]*'node:dns/m,
    example: "import { lookup } from 'node:dns/promises'",
  },
  {
    rule: 'URLs are presigned by createPresigner',
    files: everything,
    broken: /^import[^'`]*\bgetSignedUrl\b/m,
    example: "import { getSignedUrl } from '@aws-sdk/s3-request-presigner'",
  },
  {
    rule: 'lists go on from a key and count nothing',
    files: lists,
    broken: /\boffset\b|\bcount\(|\bcountAll\b/i,
    example: 'select count(*) from file',
  },
  {
    rule: 'no write notifies: that lets commits through one by one',
    files: [...everything, ...migrations],
    broken: /\bpg_notify\b|\bnotify [a-z_]+/,
    example: 'select pg_notify($1, $2)',
  },
  {
    rule: 'nothing is left behind in a session: behind a pooler the next transaction may have another (ADR 0004)',
    files: everything,
    // The migration job has a connection of its own.
    except: 'packages/service-kit/src/postgres/migration-*.ts',
    broken:
      /\bpg_(?:try_)?advisory_(?:un)?lock|\.connection\(\)\.execute|\bset_config\([^)]*false\)|`\s*(?:set (?!local)|listen |prepare |create temp)/,
    example: 'select pg_try_advisory_lock($1)',
  },
  {
    rule: 'nothing of OpenTelemetry is loaded where no spans are wanted: it is a fifth of a start (ADR 0035)',
    files: everything,
    except: 'packages/service-kit/src/telemetry/tracing.ts',
    broken: /^(?:import|export) (?!type)[^'`]*'@opentelemetry\/|^import (?!type)[^'`]*\/tracing\.ts'/m,
    example: "import { trace } from '@opentelemetry/api'",
  },
]

describe('the paths that every request takes', () => {
  it.each(rules)('$rule', ({ files, except, broken, example }) => {
    expect(example).toMatch(broken)
    const paths = globSync(files, { cwd: root, exclude: except === undefined ? [] : [except] })
    expect(paths.length).toBeGreaterThan(5)
    expect(paths.filter((path) => broken.test(readFileSync(join(root, path), 'utf8')))).toEqual([])
  })
})
