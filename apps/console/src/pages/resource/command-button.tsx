import { useCommands } from '../../commands/commands.ts'
import { Button, type ButtonProps } from '../../ui/button.tsx'

type CommandButtonProps = Pick<ButtonProps, 'look' | 'busy'> & { label: string; keys: string; run: () => void }

export function CommandButton({ label, keys, run, ...look }: CommandButtonProps) {
  useCommands([{ label, key: keys, run }])
  return <Button keys={keys} onClick={run} {...look} text={label} />
}
