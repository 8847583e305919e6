import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findOnPath } from '@tideport/dev-stack/binaries/find-on-path'
import { hostEnvironment } from '@tideport/dev-stack/processes/host-environment'
import { type Launched, launch } from './launch.ts'

interface NginxOptions {
  port: number
  /** All users must be able to read the files. */
  root: string
  dir: string
}

/** Serves the files of a directory with one process. */
export async function startNginx({ port, root, dir }: NginxOptions): Promise<Launched> {
  const [command] = await findOnPath('nginx', hostEnvironment())
  if (command === undefined) {
    throw new Error(
      'nginx is not on PATH. On Debian: apt-get install nginx; others than root may lack /usr/sbin in PATH.',
    )
  }
  const file = join(dir, 'nginx.conf')
  await writeFile(file, configuration({ port, root, dir }))
  const args = ['-p', dir, '-c', file, '-e', join(dir, 'nginx-error.log')]
  return await launch({ command, args, port, logFile: join(dir, 'nginx.log') })
}

const configuration = ({ port, root, dir }: NginxOptions) => `
daemon off;
master_process off;
pid ${dir}/nginx.pid;
events { worker_connections 4096; }
http {
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${dir}/${kind};`).join(' ')}
  keepalive_requests 1000000000;
  access_log off;
  sendfile on;
  server { listen 127.0.0.1:${port}; root ${root}; }
}
`
