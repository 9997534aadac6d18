/** Where the corpus of a project lies. */
import { resolve } from 'node:path'
import { CORPUS_FOLDER } from '../../failures/corpus.ts'
import { loadConfig, projectRoot, type Config } from '../../host/project.ts'

export function corpusFolder(root: string, { corpus = CORPUS_FOLDER }: Config): string {
  return resolve(root, corpus)
}

/** The corpus of the project around the working directory. */
export async function openCorpusFolder(): Promise<string> {
  const { config, folder } = await loadConfig(process.cwd())
  return corpusFolder(projectRoot(folder), config)
}
