// Runs ONNX files by ONNX Runtime, for npm_models.py: npm_referee.js MODULE JOB.json. The job has the file's path, its
// inputs (type, shape, file of raw little-endian numbers) and a folder for the outputs, raw fp32, with shapes.json.
"use strict";

const fs = require("fs");
const path = require("path");

const arrays = { float32: Float32Array, int64: BigInt64Array };

async function main(module, jobFile) {
    const ort = require(module);
    const job = JSON.parse(fs.readFileSync(jobFile, "utf8"));
    const session = await ort.InferenceSession.create(job.model, { logSeverityLevel: 3 });
    const feeds = {};
    for (const [name, input] of Object.entries(job.inputs)) {
        const bytes = fs.readFileSync(input.file);
        const numbers = new arrays[input.type](bytes.buffer, bytes.byteOffset, bytes.length / arrays[input.type].BYTES_PER_ELEMENT);
        feeds[name] = new ort.Tensor(input.type, numbers, input.shape);
    }
    const results = await session.run(feeds);
    const shapes = session.outputNames.map((name, index) => {
        const values = Float32Array.from(results[name].data, Number);
        fs.writeFileSync(path.join(job.outputs, `${index}.raw`), Buffer.from(values.buffer));
        return { name, shape: results[name].dims };
    });
    fs.writeFileSync(path.join(job.outputs, "shapes.json"), JSON.stringify(shapes));
}

main(process.argv[2], process.argv[3]).catch((error) => {
    console.error(String(error));
    process.exit(1);
});
