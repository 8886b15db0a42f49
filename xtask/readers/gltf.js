// glTF in the Khronos validator: node gltf.js FOLDER
const fs = require("fs");
const path = require("path");
const validator = require("gltf-validator");

const file = path.join(process.argv[2], "gltf", "run.glb");
validator.validateBytes(new Uint8Array(fs.readFileSync(file))).then((report) => {
    const { numErrors, numWarnings, messages } = report.issues;
    const { version, info } = { version: report.validatorVersion, info: report.info };
    if (numErrors || numWarnings || !info.animationCount) {
        console.error(JSON.stringify(messages, null, 1));
        process.exit(1);
    }
    console.log(`glTF validator ${version}: no errors, no warnings, ${info.totalVertexCount} vertices`);
});
