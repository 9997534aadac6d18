/** Loaded by race.test.ts as a worker thread. */
import { parentPort } from 'node:worker_threads'

parentPort.on('message', (n) => parentPort.postMessage(n * n))
