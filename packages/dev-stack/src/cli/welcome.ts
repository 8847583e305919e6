import type { StackFile } from '../stack/stack-file.ts'

/** What a person who has just started the stack wants to know: addresses, and what to try next. */
export function welcome({ gatewayUrls, postgresUrl, natsUrl, s3, firstUserId }: StackFile, dataDir: string): string[] {
  const api = gatewayUrls[0] as string
  const postgres = new URL(postgresUrl)
  postgres.password = ''
  return [
    '',
    `  API       ${gatewayUrls.join('  ')}`,
    `  Docs      ${api}/docs`,
    `  Postgres  ${postgres.href}`,
    `  NATS      ${natsUrl}`,
    `  S3        ${s3.endpoint}/${s3.bucket}`,
    `  Data      ${dataDir} (logs in logs/, passwords and pids in stack.json)`,
    '',
    `Development mode: requests without a key act as the first user, ${firstUserId}. Try`,
    `  curl ${api}/api/account`,
    `  curl ${api}/api/vaults`,
    `  curl ${api}/api/vaults -H 'content-type: application/json' -d '{"name":"Photos","visibility":"public"}'`,
    '  npm run demo',
    '',
  ]
}
