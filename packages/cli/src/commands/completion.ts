import { type Command, command } from '../grammar/command.ts'
import { completionOf, type Shell, shells } from '../grammar/completion.ts'
import { manPage } from '../grammar/man-page.ts'
import { UsageError } from '../terminal/failures.ts'
import { version } from '../version.ts'

export const completion = (commands: () => readonly Command[]) =>
  command({
    name: 'completion',
    summary: 'Print a shell completion script',
    arguments: { shell: { summary: 'bash, zsh, or fish' } },
    async run({ shell }, { output }) {
      if (!shells.includes(shell as Shell)) throw new UsageError(`SHELL must be one of ${shells.join(', ')}`)
      await output.text(completionOf(shell as Shell, commands()))
    },
  })

export const man = (commands: () => readonly Command[]) =>
  command({
    name: 'man',
    summary: 'Print the manual page. To read it: tideport man | man -l -',
    async run(_, { output }) {
      await output.text(manPage(commands(), version))
    },
  })
