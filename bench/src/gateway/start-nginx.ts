import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verifyApiKey } from '@tideport/contracts/internal/api'
import { findOnPath } from '@tideport/dev-stack/binaries/find-on-path'
import { hostEnvironment } from '@tideport/dev-stack/processes/host-environment'
import { type Launched, launch } from './launch.ts'

/**
 * One nginx process before the given upstream, with as much of the gateway's work as nginx can do: a log line and an id
 * for every request, a limit by address, connections kept, and for all but public paths a question to auth.
 */
export async function startNginx(options: { port: number; upstreamUrl: string; dir: string }): Promise<Launched> {
  return await start(options, proxying(options))
}

/** One nginx process that serves the files of `root` as they are, which must be open to everybody. */
export async function startNginxFiles(options: { port: number; root: string; dir: string }): Promise<Launched> {
  return await start(options, serving(options))
}

async function start({ port, dir }: { port: number; dir: string }, http: string): Promise<Launched> {
  const [command] = await findOnPath('nginx', hostEnvironment())
  if (command === undefined) {
    throw new Error(
      'nginx is not on PATH. On Debian: apt-get install nginx; others than root may lack /usr/sbin in PATH.',
    )
  }
  const file = join(dir, 'nginx.conf')
  await writeFile(file, configuration(dir, http))
  const args = ['-p', dir, '-c', file, '-e', join(dir, 'nginx-error.log')]
  return await launch({ command, args, port, logFile: join(dir, 'nginx.log') })
}

const configuration = (dir: string, http: string) => `
daemon off;
master_process off;
pid ${dir}/nginx.pid;
events { worker_connections 4096; }
http {
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${dir}/${kind};`).join(' ')}
  keepalive_requests 1000000000;
  ${http}
}
`

const serving = ({ port, root }: { port: number; root: string }) => `
  access_log off;
  sendfile on;
  server { listen 127.0.0.1:${port}; root ${root}; }
`

const proxying = ({ port, upstreamUrl, dir }: { port: number; upstreamUrl: string; dir: string }) => `
  log_format line escape=json '{"time":"$time_iso8601","requestId":"$request_id","method":"$request_method",'
    '"route":"$uri","status":$status,"durationMs":$request_time}';
  access_log ${dir}/nginx-access.log line buffer=4k flush=1s;
  limit_req_zone $binary_remote_addr zone=address:1m rate=1000000r/s;
  client_max_body_size 64k;
  upstream service { server ${new URL(upstreamUrl).host}; keepalive 256; keepalive_requests 1000000000; }
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_set_header X-Request-Id $request_id;
  add_header X-Request-Id $request_id;
  server {
    listen 127.0.0.1:${port};
    limit_req zone=address burst=100000 nodelay;
    location /api/public/ { proxy_pass http://service; }
    location / { auth_request /verify; proxy_pass http://service; }
    location = /verify {
      internal;
      proxy_pass http://service${verifyApiKey.path};
      proxy_pass_request_body off;
      proxy_set_header Content-Length "";
    }
  }
`
