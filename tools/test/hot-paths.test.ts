import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const everything = [
  'packages/{contracts,digests,service-kit,s3-client,s3-door,hot-tier,file-lifecycle,bulk-jobs,export,repair,storage-network}/src/**/*.ts',
  'services/*/src/**/*.ts',
]
const lists = [
  'services/*/src/**/{list,search,find}-*.ts',
  'services/*/src/**/*page*.ts',
  'services/*/src/**/routes.ts',
]
const migrations = ['{packages,services}/*/migrations/*.sql']

/** Each forbidden form costs a multiple of the current one (ADR 0035), and is easily reintroduced. */
const rules = [
  {
    rule: 'uses Node streams for bytes, because web streams do not slow down a fast sender',
    files: everything,
    broken: /\b(?:Readable|Writable|Transform)Stream\b|\b(?:from|to)Web\b|node:stream\/web|(?<![\w.])fetch\(/,
    example: 'await fetch(url)',
  },
  {
    rule: 'never resolves external names with the four threads of the thread pool',
    files: ['services/webhooks/src/**/*.ts'],
    broken: /^import (?!type)[^'`]*\blookup\b[^'`]*'node:dns/m,
    example: "import { lookup } from 'node:dns/promises'",
  },
  {
    rule: 'presigns URLs with createPresigner',
    files: everything,
    broken: /^import[^'`]*\bgetSignedUrl\b/m,
    example: "import { getSignedUrl } from '@aws-sdk/s3-request-presigner'",
  },
  {
    rule: 'paginates lists by key and never counts',
    files: lists,
    broken: /\boffset\b|\bcount\(|\bcountAll\b/i,
    example: 'select count(*) from file',
  },
  {
    rule: 'never notifies in a write, because that serializes commits',
    files: [...everything, ...migrations],
    broken: /\bpg_notify\b|\bnotify [a-z_]+/,
    example: 'select pg_notify($1, $2)',
  },
  {
    rule: 'keeps no session state, because a pooler can give each transaction another session (ADR 0004)',
    files: everything,
    // The migration job has its own connection.
    except: 'packages/service-kit/src/postgres/migration-*.ts',
    broken:
      /\bpg_(?:try_)?advisory_(?:un)?lock|\.connection\(\)\.execute|\bset_config\([^)]*false\)|`\s*(?:set (?!local)|listen |prepare |create temp)/,
    example: 'select pg_try_advisory_lock($1)',
  },
  {
    rule: 'loads OpenTelemetry only for tracing, because it takes a fifth of the start time (ADR 0035)',
    files: everything,
    except: 'packages/service-kit/src/telemetry/tracing.ts',
    broken: /^(?:import|export) (?!type)[^'`]*'@opentelemetry\/|^import (?!type)[^'`]*\/tracing\.ts'/m,
    example: "import { trace } from '@opentelemetry/api'",
  },
]

describe('the request path', () => {
  it.each(rules)('$rule', ({ files, except, broken, example }) => {
    expect(example).toMatch(broken)
    const paths = globSync(files, { cwd: root, exclude: except === undefined ? [] : [except] })
    expect(paths.length).toBeGreaterThan(5)
    expect(paths.filter((path) => broken.test(readFileSync(join(root, path), 'utf8')))).toEqual([])
  })
})
