/**
 * The script that takes everything of a run away from another machine. It is in the manifest before the machine is
 * touched: processes that carry the run's name, its rules, its folders. Doing it twice does no harm.
 */
import { RUN_VARIABLE } from '../../cleanup/manifest.ts'
import { quoted } from './shell-words.ts'

/** The table of a run's packet filter. */
export function tableOf(run: string): string {
  return `wavetank_${run.replace(/\W/g, '_')}`
}

export function cleaningScript(run: string, folder: string): string {
  const marked = `grep -lzxF ${quoted(`${RUN_VARIABLE}=${run}`)} /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3`
  return [
    // The shell itself does not carry the name: its environment comes from the machine.
    `i=0; while p=$(${marked}); [ -n "$p" ] && [ $i -lt 50 ]; do kill -9 $p 2>/dev/null; sleep 0.1; i=$((i+1)); done`,
    `if command -v nft >/dev/null && nft list table inet ${tableOf(run)} >/dev/null 2>&1; then nft delete table inet ${tableOf(run)}; fi`,
    `rm -rf ${quoted(folder)}`,
    `[ -z "$(${marked})" ] && [ ! -e ${quoted(folder)} ]`,
  ].join('\n')
}
