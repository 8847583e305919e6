import {
  CamelCasePlugin,
  Kysely,
  type PluginTransformQueryArgs,
  PostgresDialect,
  type PostgresPool,
  PostgresQueryCompiler,
  sql,
} from 'kysely'
import pg, { type Pool } from 'pg'
import { outsideOfRequests } from '../context/request-context.ts'
import type { Log } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { budgetedPool, statementNames } from './budgeted-pool.ts'

const CONNECT_TIMEOUT_MS = 1500
const QUEUE_TIMEOUT_MS = 5000
const STATEMENT_TIMEOUT_MS = 5000
const IDLE_TIMEOUT_MS = 30_000
/** Postgres cancels statements of a closed connection within one second, and detects a lost network on its own. */
const SESSION = '-c client_connection_check_interval=1000 -c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10'
/** Starting parallel workers takes longer than any statement of a service should take. */
const NO_WORKERS = '-c max_parallel_workers_per_gather=0'

export interface DatabaseOptions {
  databaseUrl: string
  databasePoolSize: number
  /** `transaction`: each transaction may get another session, so nothing depends on session state. */
  databasePooler?: 'none' | 'transaction'
  schema: string
  name: string
  log: Log
  /** Reports open connections, and statements that wait for one. */
  metrics?: Metrics
  /** Time limit of a statement outside of a request. A server that is silent for longer counts as down. */
  statementTimeoutMs?: number
  /** How long a new connection may take to open. After that, Postgres counts as down. */
  connectTimeoutMs?: number
  /** How long a statement waits at most for a free connection of the pool, even if Postgres is only busy. */
  queueTimeoutMs?: number
}

/**
 * Connects lazily. While Postgres is down, statements fail with an `isUnavailable` error: immediately, within 5 s of
 * silence, or within the wait budget. BIGINT is read as a number, and beyond 2^53 as text. Disposal waits for running
 * statements.
 */
export function openDatabase<DB>(options: DatabaseOptions): Kysely<DB> {
  const pool = new pg.Pool({
    connectionString: options.databaseUrl,
    max: options.databasePoolSize,
    application_name: options.name,
    connectionTimeoutMillis: options.queueTimeoutMs ?? QUEUE_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    query_timeout: options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    types: { getTypeParser: typeParser },
    Client: clientClass(options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS),
    ...sessionSettings(options),
  })
  // A connection outlives the request that opened it.
  pool.on('error', (error) =>
    outsideOfRequests(() => options.log.warn({ err: error }, 'idle database connection lost')),
  )
  const nameOf = options.databasePooler === 'transaction' ? () => undefined : statementNames()
  const lent = budgetedPool(pool, nameOf)
  return new Kysely<DB>({
    dialect: new SnakeCaseDialect({ pool: options.metrics ? observePool(pool, lent, options.metrics) : lent }),
    plugins: [camelCaseRows],
  })
}

/** Settings that a new connection sends. A pooler rejects them; there, the role must have these settings. */
function sessionSettings({ databasePooler, schema, statementTimeoutMs = STATEMENT_TIMEOUT_MS }: DatabaseOptions) {
  if (databasePooler === 'transaction') return {}
  return {
    options: `-c search_path=${schema} ${SESSION} ${NO_WORKERS}`,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
  }
}

/** True when a statement succeeds. Rejects while Postgres is down. */
export async function databaseAnswers<DB>(db: Kysely<DB>): Promise<boolean> {
  return (await sql`select 1`.execute(db)).rows.length === 1
}

/**
 * Every connection handles its `error` event: the pool listens to idle connections only, and its `connect` event misses
 * connections that open late.
 */
function clientClass(connectTimeoutMs: number): typeof pg.Client {
  return class extends pg.Client {
    constructor(config: pg.ClientConfig) {
      super({ ...config, connectionTimeoutMillis: connectTimeoutMs })
      this.on('error', () => {})
    }
  } as typeof pg.Client
}

/** For this pool only: a change of pg's own parsers would affect every pool of the process. */
const typeParser = ((oid: number, format?: 'text' | 'binary') => {
  if (format === 'binary') return pg.types.getTypeParser(oid, format)
  if (oid === pg.types.builtins.INT8) return parseBigint
  return oid === INT8_ARRAY ? parseBigints : pg.types.getTypeParser(oid, format)
}) as typeof pg.types.getTypeParser

const INT8_ARRAY = 1016

/** Of one dimension, without nulls. */
function parseBigints(text: string): (number | string)[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',').map(parseBigint)
}

function parseBigint(text: string): number | string {
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : text
}

/** Returns `lent` with metrics of its connections and waits. */
function observePool(pool: Pool, lent: PostgresPool, metrics: Metrics): PostgresPool {
  metrics.showEach('tideport_pg_pool_connections', 'state', 'Open connections of this process to Postgres', () => ({
    busy: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
  }))
  const maxHelp = 'Maximum number of connections of this process to Postgres'
  metrics.show('tideport_pg_pool_connections_max', maxHelp, () => pool.options.max)
  const waitingHelp = 'Statements of this process that wait for a connection'
  metrics.show('tideport_pg_pool_waiting', waitingHelp, () => pool.waitingCount)
  const waits = metrics.histogram({
    name: 'tideport_pg_pool_wait_seconds',
    help: 'Time until a statement or transaction got a connection, or was refused one',
    buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5],
  })
  return {
    ...lent,
    async connect() {
      const startedAt = performance.now()
      try {
        return await lent.connect()
      } finally {
        waits.observe((performance.now() - startedAt) / 1000)
      }
    },
  }
}

/** Leaves keys inside JSON unchanged. Leaves statements unchanged too: Kysely would copy each one node by node. */
class CamelCaseRows extends CamelCasePlugin {
  override transformQuery({ node }: PluginTransformQueryArgs) {
    return node
  }

  override snakeCase(name: string): string {
    return super.snakeCase(name)
  }
}

const camelCaseRows = new CamelCaseRows({ maintainNestedObjectKeys: true })

class SnakeCaseCompiler extends PostgresQueryCompiler {
  protected override sanitizeIdentifier(name: string): string {
    return super.sanitizeIdentifier(camelCaseRows.snakeCase(name))
  }
}

class SnakeCaseDialect extends PostgresDialect {
  override createQueryCompiler() {
    return new SnakeCaseCompiler()
  }
}
